import { mock } from 'node:test';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { AWA, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { LOW_COST_HASH } from '../helpers/hashes.js';
import { type Answer, bearer } from '../helpers/http.js';
import { logIn } from '../helpers/login-host.js';
import { FRAMEWORK } from '../helpers/on-each-express.js';
import { type Payments, servePayments } from '../helpers/payments.js';

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

for (const [name, fake] of Object.entries(fakes)) {
  describe(`a host whose tests use ${name}`, () => {
    let payments: Payments;
    let restore: () => void;

    beforeEach(async () => {
      collectWarnings();
      restore = fake();
      // The factories are called as the setup of a test calls them, after the timers were replaced.
      payments = await servePayments(FRAMEWORK, { login: { maxPendingLogins: 1 } });
    });
    afterEach(() => restore());

    it('gets an answer to guarded requests', async () => {
      const body = { refercence_cl: AWA.marchand.referencl };
      const [own, foreign] = [AWA, KOFI].map((account) => bearer(FRAMEWORK.auth.createTokens().issue(account)));
      for (const [headers, status] of [
        [own, 200],
        [foreign, 403],
        [{}, 401],
      ] as const) {
        const answer = await payments.client.send('POST', '/v1/transactions', { headers: headers ?? {}, body });
        expect(answer.status).to.equal(status);
      }
    });

    it('gets an answer to logins, even to too many, and the hash is upgraded', async () => {
      const { client, store } = payments;
      store.put({ ...AWA, passwordHash: LOW_COST_HASH });
      const upgraded = new Promise<string>((resolve) => {
        store.replacePasswordHash = (_id, _current, next) => {
          resolve(next);
          return Promise.resolve(true);
        };
      });
      expect((await logIn(client, AWA.email, PASSWORD)).status).to.equal(200);
      expect(await upgraded).to.match(/^\$argon2id\$/);
      expect((await logIn(client, AWA.email, WRONG)).status).to.equal(401);
    });

    it('gets an answer to a login that finds no place', async () => {
      const { client, store } = payments;
      let release = (): void => undefined;
      const held = new Promise<Answer>((resolve) => {
        store.findCredentials = () => {
          resolve(logIn(client, KOFI.email));
          return new Promise((found) => (release = () => found(null)));
        };
      });
      const first = logIn(client);
      expect((await held).status).to.equal(503);
      release();
      expect((await first).status).to.equal(401);
    });
  });
}
