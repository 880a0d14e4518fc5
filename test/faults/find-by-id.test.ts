import { expect } from 'chai';
import { type AuthError, createTokens, type UserStore } from '../../src/index.js';
import { AWA, KOFI } from '../helpers/accounts.js';
import { expectStoreUnavailable } from '../helpers/answers.js';
import { recordEvents } from '../helpers/events.js';
import { expectNothingUnhandled, FAILURES, inParallel, inTurn, PARALLEL, STORE_TIMEOUT_MS } from '../helpers/faults.js';
import { FRAMEWORK } from '../helpers/framework.js';
import { type Answer, bearer } from '../helpers/http.js';
import { servePayments } from '../helpers/payments.js';

describe(`A store whose findById fails under ${PARALLEL} requests at once`, () => {
  const tokens = createTokens();
  const headers = [AWA, KOFI].map((account) => bearer(tokens.issue(account)));
  const good = (id: string): unknown => Promise.resolve(id === AWA.id ? AWA : KOFI);

  /** A host whose `findById` can be changed while it runs. */
  async function serveFaulty() {
    const faulty = { findById: good };
    const userStore = {
      findCredentials: () => Promise.resolve(null),
      findById: (id: string) => faulty.findById(id),
    } as UserStore;
    const guard = { userStore, storeTimeoutMs: STORE_TIMEOUT_MS };
    const { client, hostErrors } = await servePayments(FRAMEWORK, { guard });
    const ask = (index: number) => client.send('GET', '/v1/guarded', { headers: headers[index % 2] ?? {} });
    return { faulty, hostErrors, ask };
  }

  function expectOwn(answer: Answer, index: number): void {
    const { id, marchand } = index % 2 === 0 ? AWA : KOFI;
    expect(answer.text).to.equal(JSON.stringify({ id, referencl: marchand.referencl }));
    expect(answer.status).to.equal(200);
  }

  it('answers each with 503 when it throws, rejects or hangs, tells the host each time, and recovers by itself', () =>
    expectNothingUnhandled(async () => {
      const { faulty, ask, hostErrors } = await serveFaulty();
      const events = recordEvents();
      faulty.findById = inTurn(FAILURES);
      for (const answer of await inParallel(ask)) expectStoreUnavailable(answer);
      for (const error of hostErrors as AuthError[]) {
        expect(error).to.include({ code: 'store_unavailable', detail: 'UserStore.findById failed.' });
        expect(error.cause).to.be.instanceOf(Error);
      }
      faulty.findById = good;
      (await inParallel(ask)).forEach(expectOwn);
      expect(hostErrors).to.have.length(PARALLEL);
      expect(events.map(({ type }) => type)).to.deep.equal(Array(PARALLEL).fill('store_failed'));
    }));

  it('answers one merchant with 503 and the other with 200, if the store fails for the first only', () =>
    expectNothingUnhandled(async () => {
      const { faulty, ask } = await serveFaulty();
      const fail = inTurn(FAILURES);
      faulty.findById = (id) => (id === AWA.id ? fail() : good(id));
      (await inParallel(ask)).forEach((answer, index) => {
        if (index % 2 === 0) expectStoreUnavailable(answer);
        else expectOwn(answer, index);
      });
    }));
});
