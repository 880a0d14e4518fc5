import { TokenCache } from '../../src/tokens/token-cache.js';

// What the shell has set must not decide how a test ends.
process.env['JWT_SECRET'] = 'the secret of the test suite, 32 bytes or more';
process.env['NODE_ENV'] = 'test';
for (const name of ['DATABASE_URL', 'REDIS_URL', 'SEED_DEMO', 'JWT_KEYS']) Reflect.deleteProperty(process.env, name);

// The same suites hold without the memory of verified tokens; where it is itself tested, they are skipped.
if (process.env['TEST_TOKEN_MEMORY'] === 'off') TokenCache.prototype.get = () => undefined;
