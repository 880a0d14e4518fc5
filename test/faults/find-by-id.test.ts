import { mock } from 'node:test';
import { expect } from 'chai';
import type { AuthError, RequireBearerOptions, UserStore } from '../../src/index.js';
import { AWA, KOFI } from '../helpers/accounts.js';
import { expectMalformedAccount, expectStoreUnavailable } from '../helpers/answers.js';
import { recordEvents } from '../helpers/events.js';
import {
  expectNothingUnhandled,
  expectProblems,
  FAILURES,
  inParallel,
  inTurn,
  MALFORMED_ACCOUNTS,
  OTHER_ACCOUNT,
  PARALLEL,
  STORE_TIMEOUT_MS,
} from '../helpers/faults.js';
import { type Answer, bearer } from '../helpers/http.js';
import { FRAMEWORK } from '../helpers/framework.js';
import { servePayments } from '../helpers/payments.js';

describe(`A store whose findById fails under ${PARALLEL} requests at once`, () => {
  const { auth } = FRAMEWORK;
  const tokens = auth.createTokens();
  const headers = [AWA, KOFI].map((account) => bearer(tokens.issue(account)));

  function goodAnswer(id: string): unknown {
    return Promise.resolve(id === AWA.id ? AWA : KOFI);
  }

  /** A host whose `findById` can be changed while it runs. */
  async function serveFaulty(guard: RequireBearerOptions = {}) {
    const faulty = { findById: goodAnswer };
    const userStore = {
      findCredentials: () => Promise.resolve(null),
      findById: (id: string) => faulty.findById(id),
    } as UserStore;
    const payments = await servePayments(FRAMEWORK, {
      guard: { userStore, storeTimeoutMs: STORE_TIMEOUT_MS, ...guard },
    });
    const ask = (index: number) => payments.client.send('GET', '/v1/guarded', { headers: headers[index % 2] ?? {} });
    return { ...payments, faulty, ask };
  }

  function expectOwn(answer: Answer, index: number): void {
    const { id, marchand } = index % 2 === 0 ? AWA : KOFI;
    expect(answer.text).to.equal(JSON.stringify({ id, referencl: marchand.referencl }));
    expect(answer.status).to.equal(200);
  }

  it('answers each with 503 when it throws, rejects or hangs, tells the host each time, and recovers by itself (ASVS 16.5.2)', () =>
    expectNothingUnhandled(async () => {
      const { faulty, ask, hostErrors } = await serveFaulty();
      const events = recordEvents();
      faulty.findById = inTurn(FAILURES);
      for (const answer of await inParallel(ask)) expectStoreUnavailable(answer);
      expect(hostErrors).to.have.length(PARALLEL);
      for (const error of hostErrors as AuthError[]) {
        expect(error).to.include({ name: 'AuthError', code: 'store_unavailable' });
        expect(error.detail).to.equal('UserStore.findById failed.');
        expect(error.cause).to.be.instanceOf(Error);
      }
      expect(events.filter((event) => event.type === 'store_failed')).to.have.length(PARALLEL);

      faulty.findById = goodAnswer;
      (await inParallel(ask)).forEach(expectOwn);
      expect(hostErrors).to.have.length(PARALLEL);
      expect(events).to.have.length(PARALLEL);
    }));

  it('answers each with 500 when it returns a malformed account, tells the host which member, and recovers by itself', () =>
    expectNothingUnhandled(async () => {
      const { faulty, client, hostErrors, ask } = await serveFaulty();
      const lies = [...MALFORMED_ACCOUNTS, [OTHER_ACCOUNT, 'an account with another id']] as const;
      faulty.findById = inTurn(
        lies.map(
          ([account]) =>
            () =>
              Promise.resolve(account),
        ),
      );
      const answers = await inParallel(() => client.send('GET', '/v1/guarded', { headers: bearer(tokens.issue(AWA)) }));
      answers.forEach(expectMalformedAccount);
      expect(hostErrors).to.have.length(PARALLEL);
      expectProblems(hostErrors, 'findById', lies);

      faulty.findById = goodAnswer;
      (await inParallel(ask)).forEach(expectOwn);
    }));

  it('answers one merchant with 503 and the other with 200, if the store fails for the first only', () =>
    expectNothingUnhandled(async () => {
      const { faulty, ask } = await serveFaulty();
      const fail = inTurn(FAILURES);
      faulty.findById = (id) => (id === AWA.id ? fail() : goodAnswer(id));
      (await inParallel(ask)).forEach((answer, index) => {
        if (index % 2 === 0) expectStoreUnavailable(answer);
        else expectOwn(answer, index);
      });
    }));

  it('changes no answer with a result that arrives after the timeout', () =>
    expectNothingUnhandled(async () => {
      const { faulty, ask, hostErrors } = await serveFaulty();
      const late: (() => void)[] = [];
      faulty.findById = (id) =>
        new Promise((resolve, reject) => {
          late.push(() => (late.length % 2 === 0 ? resolve(goodAnswer(id)) : reject(new Error('too late'))));
        });
      for (const answer of await inParallel(ask)) expectStoreUnavailable(answer);
      for (const say of late) say();
      faulty.findById = goodAnswer;
      (await inParallel(ask)).forEach(expectOwn);
      expect(hostErrors).to.have.length(PARALLEL);
    }));

  it('never calls respond for it, also when the host gives a respond', async () => {
    const asked: string[] = [];
    const { faulty, ask } = await serveFaulty({ respond: (error, _req, _res, next) => next(asked.push(error.code)) });
    faulty.findById = inTurn(FAILURES);
    for (const answer of await inParallel(ask, FAILURES.length)) expectStoreUnavailable(answer);
    expect(asked).to.deep.equal([]);
  });

  it('does all this behind createCachedUserStore too', () =>
    expectNothingUnhandled(async () => {
      const faulty = { findById: goodAnswer };
      const store = {
        findCredentials: () => Promise.resolve(null),
        findById: (id: string) => faulty.findById(id),
      } as UserStore;
      let now = 0;
      // Only this clock stands still, because a call that hangs needs the timers.
      const clock = mock.method(performance, 'now', () => now);
      const userStore = auth.createCachedUserStore(store, { maxStalenessMs: 1000 });
      const { ask } = await serveFaulty({ userStore });
      for (const fail of FAILURES) {
        faulty.findById = fail;
        for (const answer of await inParallel(ask, 20)) expectStoreUnavailable(answer);
        faulty.findById = goodAnswer;
        now += 1000;
        (await inParallel(ask, 20)).forEach(expectOwn);
        now += 1000;
      }
      clock.mock.restore();
    }));
});
