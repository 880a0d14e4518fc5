import { mock } from 'node:test';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { collectWarnings } from '../helpers/warnings.js';
import type { InMemoryUserStore } from '../../src/index.js';
import { AWA, KOFI, PASSWORD, withPassword } from '../helpers/accounts.js';
import { LOW_COST_HASH } from '../helpers/hashes.js';
import { type Answer, bearer, type Client, serve } from '../helpers/http.js';
import { FRAMEWORK } from '../helpers/framework.js';

/** Replaces the timers of the global object and of `node:timers`. Each returns a function that restores them. */
const fakes: Readonly<Record<string, () => () => void>> = {
  'the mock timers of node:test': () => {
    mock.timers.enable();
    return () => mock.timers.reset();
  },
  '@sinonjs/fake-timers': () => {
    // Node.js itself needs the other two to serve a request.
    const clock = install({ toNotFake: ['nextTick', 'queueMicrotask'] });
    return () => {
      clock.uninstall();
    };
  },
};

describe('a host whose tests use fake timers', () => {
  const { auth, express } = FRAMEWORK;
  for (const [name, fake] of Object.entries(fakes)) {
    describe(name, () => {
      let store: InMemoryUserStore;
      let client: Client;
      let restore: () => void;
      let onUpgrade: (hash: string) => void;

      beforeEach(async () => {
        collectWarnings();
        store = new auth.InMemoryUserStore([{ ...AWA, passwordHash: LOW_COST_HASH }, withPassword(KOFI)]);
        store.replacePasswordHash = (_id, _current, next) => {
          onUpgrade(next);
          return Promise.resolve(true);
        };
        restore = fake();
        // The factories are called as the setup of a test calls them, after the timers were replaced.
        const app = express();
        app.use('/v1', auth.createLoginRouter(store, { maxPendingLogins: 1 }));
        app.use('/v1', auth.requireBearer({ userStore: store }));
        app.post('/v1/transactions', auth.requireOwnReference(), (req, res) => {
          res.status(201).json({ id: auth.merchantOf(req).id });
        });
        app.use(auth.authErrorHandler());
        client = await serve(app);
      });
      afterEach(() => restore());

      const logIn = (password: string) => client.send('POST', '/v1/login', { body: { email: AWA.email, password } });

      it('gets an answer to guarded requests', async () => {
        const body = { refercence_cl: AWA.marchand.referencl };
        const headers = bearer(auth.createTokens().issue(AWA));
        expect((await client.send('POST', '/v1/transactions', { headers, body })).status).to.equal(201);
        const foreign = bearer(auth.createTokens().issue(KOFI));
        expect((await client.send('POST', '/v1/transactions', { headers: foreign, body })).status).to.equal(403);
        expect((await client.send('POST', '/v1/transactions', { body })).status).to.equal(401);
      });

      it('gets an answer to logins, also to too many, and the hash is upgraded', async () => {
        const upgraded = new Promise<string>((resolve) => (onUpgrade = resolve));
        const { status, json } = await logIn(PASSWORD);
        expect([status, json]).to.have.nested.property('[1].authorisation.token');
        expect(await upgraded).to.match(/^\$argon2id\$/);
        expect((await logIn('not the password')).status).to.equal(401);
        let release = (): void => undefined;
        const held = new Promise<Answer>((resolve) => {
          store.findCredentials = () => {
            resolve(logIn('not the password'));
            return new Promise((found) => (release = () => found(null)));
          };
        });
        const first = logIn(PASSWORD);
        expect((await held).status).to.equal(503);
        release();
        expect((await first).status).to.equal(401);
      });
    });
  }
});
