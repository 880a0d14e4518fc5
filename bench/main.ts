import { benchGuards } from './guards/bench-guards.js';
import { runMain } from './harness/run-main.js';
import { benchLogins } from './logins/bench-logins.js';

/** `npm run bench -- logins` measures the rows on logins. Without that word it measures the guards. */
runMain(([first = '', ...others], env) =>
  first === 'logins' ? benchLogins(others, env) : benchGuards([first, ...others].filter(Boolean), env),
);
