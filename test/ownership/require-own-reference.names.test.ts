import { expect } from 'chai';
import type { Request } from 'express';
import request from 'supertest';
import { expectError, FOREIGN_REFERENCE, INVALID_REFERENCE, MISSING_REFERENCE } from '../helpers/answers.js';
import { recordEvents } from '../helpers/events.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { type Payments, servePayments } from '../helpers/payments.js';
import { HOST_NAMES } from './renamed.js';

const OWN = 'BTQ-1001';
const FOREIGN = 'CNT-1002';

const REFUSED = { code: 400, error: INVALID_REFERENCE };
const foreign = (name: string) => ({
  code: 403,
  error: FOREIGN_REFERENCE,
  message: 'Not your reference',
  description: `This ${name} is not yours. Send the marchand.referencl of your login.`,
});
const invalid = (name: string) => ({
  ...REFUSED,
  message: 'Reference not valid',
  description: `Send ${name} once, as a string.`,
});
const missing = (names: string) => ({
  code: 400,
  error: MISSING_REFERENCE,
  message: 'Reference missing',
  description: `Send ${names}: the marchand.referencl of your login.`,
});
const BOTH = 'merchantId or wallet_id';

onEachExpress('a guard with referenceNames', (framework) => {
  let payments: Payments;
  const guard = { referenceNames: HOST_NAMES };
  beforeEach(async () => {
    payments = await servePayments(framework, { guard, parameter: 'merchantId' });
  });
  const get = (path: string) => request(payments.app).get(path).set(payments.awa);
  const post = (body: object | string) =>
    request(payments.app).post('/v1/transactions').set(payments.awa).type('json').send(body);

  it('checks each of the names in each place, and names the one that it found', async () => {
    for (const name of HOST_NAMES) {
      await post({ [name]: OWN, data: [{ [name]: OWN }] }).expect(200);
      for (const body of [{ [name]: FOREIGN }, { merchantId: OWN, data: [{ [name]: FOREIGN }] }]) {
        expectError(await post(body), foreign(name));
      }
      expectError(
        await get(`/v1/guarded?a[${name}]=${FOREIGN}`),
        framework.major === 4 ? foreign(name) : invalid(name),
      );
      expectError(await get(`/v1/guarded?${'&'.repeat(1_000)}${name}=${FOREIGN}`), foreign(name));
      const others = HOST_NAMES.map((each) => `"${each}":"${OWN}"`).join(',');
      expectError(await post(`{"${name}":"${FOREIGN}",${others}}`), invalid(name));
      expectError(await post({ merchantId: OWN, [name.toUpperCase()]: OWN }), invalid(name));
    }
    expectError(await get(`/v1/merchants/${FOREIGN}`), foreign('merchantId'));
    await get(`/v1/merchants/${OWN}`).expect(200);
    await post({ merchantId: OWN, refercence_cl: FOREIGN }).expect(200);
  });

  it('demands one of the names where handlers look, and names them all', async () => {
    for (const body of [
      {},
      { refercence_cl: OWN },
      { reference_cl: OWN },
      [{ merchantId: OWN }, {}],
      { data: { merchantId: OWN } },
    ]) {
      expectError(await post(body), missing(BOTH));
    }
    await post([{ merchantId: OWN }, { wallet_id: OWN }]).expect(200);
    expectError(await get('/v1/transactions'), missing(BOTH));
    await get(`/v1/transactions?wallet_id=${OWN}`).expect(200);
    const from = (req: Request) => req.headers['x-merchant'] && [req.headers['x-merchant']];
    payments = await servePayments(framework, { guard, ownReference: { from } });
    expectError(await post({ merchantId: OWN }), missing(BOTH));
    expectError(await get('/v1/transactions').set({ 'X-Merchant': OWN }), invalid(BOTH));
  });

  it('keeps the hint on reference_cl where the host lists refercence_cl too', async () => {
    payments = await servePayments(framework, { guard: { referenceNames: ['merchantId', 'refercence_cl'] } });
    const description = 'Send refercence_cl: the marchand.referencl of your login. You sent reference_cl.';
    expectError(await post({ reference_cl: OWN }), { ...missing('merchantId or refercence_cl'), description });
  });

  it('has a mark with a copy of its names', async () => {
    const { auth, express } = framework;
    const middleware = auth.requireBearer(guard);
    const markOf = (handler: object) =>
      Reflect.get(handler, Symbol.for('express-merchant-auth.mark')) as { names: string[] };
    expect(markOf(middleware).names.splice(0)).to.deep.equal(HOST_NAMES);
    const app = express().use(middleware, auth.authErrorHandler());
    const query = `?wallet_id=${FOREIGN}`;
    expectError(await request(app).get(`/${query}`).set(payments.awa), foreign('wallet_id'));
    expect(markOf(auth.requireBearer())).to.deep.include({ kind: 'bearer', names: ['refercence_cl'] });
  });

  it('reports the name, and never what the caller sent', async () => {
    const events = recordEvents(framework.auth.onAuthEvent);
    await post({ merchantId: OWN, 'Wallet-ID': FOREIGN });
    await post({});
    expect(events.map((event) => 'referenceNames' in event && event.referenceNames)).to.deep.equal([
      ['wallet_id'],
      ['merchantId', 'wallet_id'],
    ]);
  });
});
