// `npm run test:without-cache` requires this file. A variable before the command would not work in every shell.
import process from 'node:process';

process.env.TEST_TOKEN_CACHE = 'off';
