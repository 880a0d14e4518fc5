import { expect } from 'chai';
import type { UserStore } from '../../src/index.js';
import { AWA } from '../helpers/accounts.js';
import { expectStoreUnavailable } from '../helpers/answers.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { recordEvents } from '../helpers/events.js';
import { expectNothingUnhandled, FAILURES, inParallel, inTurn, PARALLEL, STORE_TIMEOUT_MS } from '../helpers/faults.js';
import { serveLogin } from '../helpers/login-host.js';
import { QUICK_HASH } from '../helpers/quick-passwords.js';
import { until } from '../helpers/until.js';

describe(`A store whose methods of login fail under ${PARALLEL} logins at once`, () => {
  const good = () => Promise.resolve({ account: AWA, passwordHash: QUICK_HASH }) as unknown;

  /**
   * Starts a host where one source has exactly as many places as there are logins, so that a place that is not given
   * back is missing for a later login. Each login has another password, because identical logins share a place.
   */
  async function serveFaulty() {
    const faulty: { findCredentials: () => unknown; replacePasswordHash: () => unknown } = {
      findCredentials: good,
      replacePasswordHash: () => Promise.resolve(true),
    };
    const { throttle, calls } = controlledThrottle();
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
    quick.compared.splice(0);
    quick.verify = (_password, hash) => Promise.resolve(hash === QUICK_HASH);
    quick.passwords.upgrade = () => Promise.resolve('$argon2id$next');
    const counts = () => {
      const failed = calls.filter(({ method }) => method === 'penalty').length;
      return { computed: quick.compared.length, failed };
    };
    let logins = 0;
    const logIn = () => host.logIn(AWA.email, `password ${(logins += 1)}`);
    return { faulty, counts, hostErrors, logIn };
  }

  it('answers each with 503 when it throws, rejects or hangs, hashes and counts nothing, and recovers by itself', () =>
    expectNothingUnhandled(async () => {
      const { faulty, counts, hostErrors, logIn } = await serveFaulty();
      const events = recordEvents();
      faulty.findCredentials = inTurn(FAILURES);
      for (const answer of await inParallel(logIn)) expectStoreUnavailable(answer);
      expect(events.map(({ type }) => type)).to.deep.equal(Array(PARALLEL).fill('store_failed'));
      expect(counts()).to.deep.equal({ computed: 0, failed: 0 });

      faulty.findCredentials = good;
      for (const { status, text } of await inParallel(logIn)) expect(status, text).to.equal(200);
      expect(hostErrors).to.have.length(PARALLEL);
    }));

  it('fails no login when replacePasswordHash throws, rejects, hangs or returns a wrong value', () =>
    expectNothingUnhandled(async () => {
      const { faulty, counts, hostErrors, logIn } = await serveFaulty();
      const events = recordEvents();
      const count = (wanted: string) => events.filter(({ type }) => type === wanted).length;
      const lies = [undefined, null, 1, 'true', {}, false].map((lie) => () => Promise.resolve(lie));
      faulty.replacePasswordHash = inTurn([...FAILURES, ...lies]);
      for (const { status, text } of await inParallel(logIn)) expect(status, text).to.equal(200);
      await until(() => count('hash_not_upgraded') === PARALLEL);
      expect(count('login_succeeded')).to.equal(PARALLEL);
      expect(events).to.have.length(2 * PARALLEL);
      expect(hostErrors).to.deep.equal([]);
      expect(counts()).to.deep.equal({ computed: PARALLEL, failed: 0 });
    }));
});
