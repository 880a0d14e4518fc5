import { ClaimsCache } from '../../src/tokens/claims-cache.js';

// Variables of the shell must not change the results of tests.
process.env['JWT_SECRET'] = 'the secret of the test suite, 32 bytes or more';
process.env['NODE_ENV'] = 'test';
for (const name of ['DATABASE_URL', 'REDIS_URL', 'SEED_DEMO', 'JWT_KEYS']) Reflect.deleteProperty(process.env, name);

// `npm run test:without-cache` runs the suites without the cache of verified tokens. Tests of the cache are skipped.
if (process.env['TEST_TOKEN_CACHE'] === 'off') ClaimsCache.prototype.get = () => undefined;
