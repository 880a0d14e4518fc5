import { expect } from 'chai';
import { createLogin, createLoginRouter, createTokens, InMemoryUserStore, requireBearer } from '../../src/index.js';
import { createTestTokens } from '../../src/testing/index.js';
import { STORE_UNAVAILABLE } from '../helpers/answers.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { serve } from '../helpers/http.js';

const SECRET = 'a secret that two copies of the package share';

it('a store whose class has the name of another class, as minifiers give it, is no copy', () => {
  const Minified = { Login: class Login extends InMemoryUserStore {} }.Login;
  expect(() => createLoginRouter(new Minified(), { tokens: createTokens({ secret: SECRET }) })).not.to.throw();
});

onEachExpress('another copy of the package', ({ auth: other, express }) => {
  const userStore = new InMemoryUserStore();
  const tokens = createTokens({ secret: SECRET });
  const theirs = other.createTokens({ secret: SECRET });

  for (const [where, call] of [
    ['requireBearer: tokens', () => requireBearer({ tokens: theirs })],
    ['requireBearer: guard', () => requireBearer({ guard: other.createGuard({ tokens: theirs }) })],
    ['requireBearer: the guard', () => requireBearer(other.createGuard({ tokens: theirs }) as never)],
    ['createLogin: tokens', () => createLogin(userStore, { tokens: theirs })],
    ['createLogin: passwords', () => createLogin(userStore, { tokens, passwords: other.createPasswords() })],
    ['createLogin: throttle', () => createLogin(userStore, { tokens, throttle: other.createLoginThrottle() as never })],
    [
      'createLoginRouter: the login',
      () => createLoginRouter(other.createLogin(userStore, { tokens: theirs }) as never),
    ],
    ['createTestTokens: tokens', () => createTestTokens(theirs)],
  ] as const) {
    it(`is named when ${where} comes from it`, () => {
      expect(call).to.throw(
        TypeError,
        `${where} comes from another copy of express-merchant-auth. Import both from the same copy: npm ls ` +
          'express-merchant-auth lists them. In tests, jest.resetModules makes another.',
      );
    });
  }

  it('answers the refusals of this copy in its error handler', async () => {
    const down = () => Promise.reject(new Error('down'));
    const store = { findById: down, findCredentials: down };
    const log: string[] = [];
    const handler = other.authErrorHandler({ log: ({ code }) => log.push(code) });
    const app = express().use(requireBearer({ userStore: store, tokens }), handler);
    const token = tokens.issue({ id: '1', marchand: { referencl: 'BTQ-1001', statut: 1 } });
    const { status, json } = await (
      await serve(app)
    ).send('GET', '/', { headers: { Authorization: `Bearer ${token}` } });
    expect([status, (json as { error: string }).error, log]).to.deep.equal([
      503,
      STORE_UNAVAILABLE,
      [STORE_UNAVAILABLE],
    ]);
  });
});
