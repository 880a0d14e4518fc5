import { expect } from 'chai';
import { type AuthError, createLoginThrottle, onAuthEvent, type UserStore } from '../../src/index.js';
import { AWA } from '../helpers/accounts.js';
import { expectMalformedAccount, expectStoreUnavailable } from '../helpers/answers.js';
import { setComputationTimes } from '../helpers/computation-times.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { recordEvents } from '../helpers/events.js';
import {
  broken,
  expectNothingUnhandled,
  expectProblems,
  FAILURES,
  inParallel,
  inTurn,
  MALFORMED_ACCOUNTS,
  PARALLEL,
  STORE_TIMEOUT_MS,
} from '../helpers/faults.js';
import { PHC_OF_PASSWORD } from '../helpers/hashes.js';
import type { Answer } from '../helpers/http.js';
import { serveLogin } from '../helpers/login-host.js';
import { QUICK_HASH } from '../helpers/quick-passwords.js';

const NO_ACCOUNT = 'no account object';

/** Malformed credentials, in addition to the malformed accounts that a guard refuses too. */
const MALFORMED_CREDENTIALS: readonly (readonly [credentials: unknown, problem: string])[] = [
  ...[undefined, false, 0, '', 'Awa', {}, []].map((credentials) => [credentials, NO_ACCOUNT] as const),
  [AWA, NO_ACCOUNT],
  [{ passwordHash: PHC_OF_PASSWORD }, NO_ACCOUNT],
  [{ account: null, passwordHash: PHC_OF_PASSWORD }, NO_ACCOUNT],
  ...[undefined, 0, {}, Buffer.from(PHC_OF_PASSWORD), [PHC_OF_PASSWORD]].map(
    (passwordHash) => [{ account: AWA, passwordHash }, 'a passwordHash'] as const,
  ),
  ...['', null, 7, {}].map(
    (identifier) => [{ account: AWA, passwordHash: PHC_OF_PASSWORD, identifier }, 'an identifier'] as const,
  ),
  ...[undefined, null, '', 7].map((email) => malformed('email', { email })),
  ...[undefined, null, 225_0700].map((phone) => malformed('phone', { phone })),
  ...[undefined, null, '1', 1.5, Number.NaN].map((statut) =>
    malformed('marchand.statut', { marchand: { referencl: 'BTQ-1001', statut } }),
  ),
  ...MALFORMED_ACCOUNTS.map(([account, problem]) => [{ account, passwordHash: PHC_OF_PASSWORD }, problem] as const),
];

function malformed(member: string, members: object) {
  const [account, problem] = broken(member, members);
  return [{ account, passwordHash: PHC_OF_PASSWORD }, problem] as const;
}

describe(`A store whose methods of login fail under ${PARALLEL} logins at once`, () => {
  const good = () => Promise.resolve({ account: AWA, passwordHash: QUICK_HASH }) as unknown;

  /**
   * Starts a host where one source has exactly as many places as there are logins. So a place that is not given back is
   * missing for a later login. Each login has another password, because identical logins share a place.
   */
  async function serveFaulty() {
    const faulty: { findCredentials: () => unknown; replacePasswordHash: () => unknown } = {
      findCredentials: good,
      replacePasswordHash: () => Promise.resolve(true),
    };
    const { throttle, calls } = controlledThrottle(createLoginThrottle);
    const { quick, hostErrors, ...host } = await serveLogin({
      store: {
        findCredentials: () => faulty.findCredentials() as ReturnType<UserStore['findCredentials']>,
        replacePasswordHash: () => faulty.replacePasswordHash() as Promise<boolean>,
      },
      hashing: { maxConcurrentHashes: 1 },
      throttle,
      storeTimeoutMs: STORE_TIMEOUT_MS,
      maxPendingLogins: 2 * PARALLEL,
    });
    await setComputationTimes(quick.passwords, 0);
    quick.compared.splice(0);
    quick.verify = (_password, hash) => Promise.resolve(hash === QUICK_HASH);
    let upgraded = 0;
    quick.passwords.upgrade = () => {
      upgraded += 1;
      return Promise.resolve('$argon2id$next');
    };
    const counts = () => {
      const failed = calls.filter(({ method }) => method === 'penalty').length;
      return { computed: quick.compared.length, failed, upgraded };
    };
    let logins = 0;
    const logIn = () => {
      logins += 1;
      return host.logIn(AWA.email, `password ${logins}`);
    };
    return { faulty, counts, hostErrors, logIn };
  }

  function expectLoggedIn(answer: Answer): void {
    expect(answer.text).to.match(/^\{"status":"Success","success":true,"code":200,/);
    expect(answer.status).to.equal(200);
  }

  it('answers each with 503 when it throws, rejects or hangs, hashes and counts nothing, and recovers by itself', () =>
    expectNothingUnhandled(async () => {
      const { faulty, counts, hostErrors, logIn } = await serveFaulty();
      const events = recordEvents();
      faulty.findCredentials = inTurn(FAILURES);
      for (const answer of await inParallel(logIn)) expectStoreUnavailable(answer);
      expect(hostErrors).to.have.length(PARALLEL);
      for (const error of hostErrors as AuthError[]) {
        expect(error).to.include({ name: 'AuthError', code: 'store_unavailable' });
        expect(error.detail).to.equal('UserStore.findCredentials failed.');
        expect(error.cause).to.be.instanceOf(Error);
      }
      expect(events.filter((event) => event.type === 'store_failed')).to.have.length(PARALLEL);
      expect(counts()).to.deep.equal({ computed: 0, failed: 0, upgraded: 0 });

      faulty.findCredentials = good;
      for (const answer of await inParallel(logIn)) expectLoggedIn(answer);
      expect(hostErrors).to.have.length(PARALLEL);
    }));

  it('answers each with 500 when it returns a malformed account, tells the host which member, and recovers by itself', () =>
    expectNothingUnhandled(async () => {
      const { faulty, counts, hostErrors, logIn } = await serveFaulty();
      faulty.findCredentials = inTurn(
        MALFORMED_CREDENTIALS.map(
          ([credentials]) =>
            () =>
              Promise.resolve(credentials),
        ),
      );
      for (const answer of await inParallel(logIn)) expectMalformedAccount(answer);
      expect(hostErrors).to.have.length(PARALLEL);
      expectProblems(hostErrors, 'findCredentials', MALFORMED_CREDENTIALS);
      expect(counts()).to.deep.equal({ computed: 0, failed: 0, upgraded: 0 });

      faulty.findCredentials = good;
      for (const answer of await inParallel(logIn)) expectLoggedIn(answer);
    }));

  it('fails no login when replacePasswordHash throws, rejects, hangs or returns a wrong value', () =>
    expectNothingUnhandled(async () => {
      const { faulty, counts, hostErrors, logIn } = await serveFaulty();
      const events = recordEvents();
      const lies = [undefined, null, 1, 'true', {}, false].map((lie) => () => Promise.resolve(lie));
      const all = new Promise<void>((resolve) => {
        const stop = onAuthEvent(() => {
          const { length } = events.filter(({ type }) => type === 'hash_not_upgraded');
          if (length < PARALLEL) return;
          stop();
          resolve();
        });
      });
      faulty.replacePasswordHash = inTurn([...FAILURES, ...lies]);
      for (const answer of await inParallel(logIn)) expectLoggedIn(answer);
      await all;
      expect(hostErrors).to.deep.equal([]);
      expect(counts()).to.deep.equal({ computed: PARALLEL, failed: 0, upgraded: PARALLEL });
      expect(events.filter(({ type }) => type === 'login_succeeded')).to.have.length(PARALLEL);
      expect(events).to.have.length(2 * PARALLEL);
    }));

  it('changes no answer with a result that arrives after the timeout', () =>
    expectNothingUnhandled(async () => {
      const { faulty, hostErrors, logIn } = await serveFaulty();
      const late: (() => void)[] = [];
      faulty.findCredentials = () =>
        new Promise((resolve, reject) => {
          late.push(() => {
            resolve(good());
            reject(new Error('too late'));
          });
        });
      for (const answer of await inParallel(logIn)) expectStoreUnavailable(answer);
      for (const say of late) say();
      faulty.findCredentials = good;
      for (const answer of await inParallel(logIn)) expectLoggedIn(answer);
      expect(hostErrors).to.have.length(PARALLEL);
    }));
});
