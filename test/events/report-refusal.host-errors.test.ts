import { expect } from 'chai';
import type { RequestHandler } from 'express';
import type { AuthEvent } from '../../src/index.js';
import { AWA, KOFI, PASSWORD } from '../helpers/accounts.js';
import {
  expectForeignReference,
  expectMissingToken,
  expectStoreUnavailable,
  expectTooBusy,
  expectWrongCredentials,
} from '../helpers/answers.js';
import { logIn, logInWhileBusy } from '../helpers/login-host.js';
import { recordEvents } from '../helpers/events.js';
import { expectNothingUnhandled } from '../helpers/faults.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { type Payments, type PaymentsConfig, servePayments } from '../helpers/payments.js';
import { serveRefusingHost } from '../helpers/refusals.js';
import { collectWarnings } from '../helpers/warnings.js';

/** Express calls this function of the host when a report reads the address of the caller behind a proxy. */
const throwingTrust: RequestHandler = (req, _res, next) => {
  req.headers['x-forwarded-for'] = '203.0.113.7';
  req.app.set('trust proxy', () => {
    throw new Error('of the host');
  });
  next();
};

onEachExpress('a refusal whose report calls a function of the host that throws', (framework) => {
  let events: AuthEvent[];
  beforeEach(() => {
    collectWarnings();
    events = recordEvents(framework.auth.onAuthEvent);
  });
  const reported = () => events.map((event) => [event.type, event.source]);

  async function serve(guard: PaymentsConfig['guard'] = {}): Promise<Payments> {
    return servePayments(framework, { before: [throwingTrust], guard });
  }

  it('is answered and reported by the guard', async () => {
    const { client, awa, store } = await serve();
    await expectNothingUnhandled(async () => {
      expectMissingToken(await client.send('GET', '/v1/guarded'));
      store.findById = () => Promise.reject(new Error('connection refused'));
      expectStoreUnavailable(await client.send('GET', '/v1/guarded', { headers: awa }));
    });
    expect(reported()).to.deep.equal([
      ['token_refused', undefined],
      ['store_failed', undefined],
    ]);
  });

  it('is answered and reported by requireOwnReference', async () => {
    const { client, awa } = await serve();
    await expectNothingUnhandled(async () => {
      expectForeignReference(await client.send('GET', '/v1/merchants/CNT-1002', { headers: awa }));
    });
    expect(reported()).to.deep.equal([['ownership_refused', undefined]]);
  });

  it('passes and is reported with reference: "reported"', async () => {
    const { client, awa } = await serve({ reference: 'reported' });
    const sending = { headers: awa, body: { refercence_cl: 'CNT-1002' } };
    expect((await client.send('POST', '/v1/guarded', sending)).status).to.equal(200);
    expect(reported()).to.deep.equal([['ownership_refused', undefined]]);
  });

  it('is answered and reported by the login', async () => {
    const { client, store } = await serveRefusingHost(framework, 'merchant', { before: [throwingTrust] });
    await expectNothingUnhandled(async () => {
      expectWrongCredentials(await logIn(client, AWA.email, `not ${PASSWORD}`));
      expectTooBusy(await logInWhileBusy(client, store, KOFI.email));
    });
    expect(reported()).to.deep.equal([
      ['login_failed', undefined],
      ['login_shed', undefined],
      ['login_failed', undefined],
    ]);
  });
});
