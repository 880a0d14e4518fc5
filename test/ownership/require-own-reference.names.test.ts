import { expect } from 'chai';
import request from 'supertest';
import { expectError, FOREIGN_REFERENCE, INVALID_REFERENCE, MISSING_REFERENCE } from '../helpers/answers.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { type PaymentsConfig, servePayments } from '../helpers/payments.js';

onEachExpress('a guard with referenceNames', (framework) => {
  const post = async (referenceNames: readonly string[], body: object, config: PaymentsConfig = {}) => {
    const { app, awa } = await servePayments(framework, { ...config, guard: { referenceNames } });
    return request(app).post('/v1/transactions').set(awa).send(body);
  };
  const HOST_NAMES = ['merchantId', 'wallet_id'];

  it('names them all, and has the hint on reference_cl only where the host lists refercence_cl too', async () => {
    const missing = { code: 400, error: MISSING_REFERENCE, message: 'Reference missing' };
    const body = { reference_cl: 'BTQ-1001' };
    const description = 'Send merchantId or wallet_id: the marchand.referencl of your login.';
    expectError(await post(HOST_NAMES, body), { ...missing, description });
    expectError(await post(['merchantId', 'refercence_cl'], body), {
      ...missing,
      description: 'Send refercence_cl: the marchand.referencl of your login. You sent reference_cl.',
    });
    expectError(await post(HOST_NAMES, {}, { ownReference: { from: () => undefined } }), { ...missing, description });
    expectError(await post(HOST_NAMES, {}, { ownReference: { from: () => ['BTQ-1001'] } }), {
      code: 400,
      error: INVALID_REFERENCE,
      message: 'Reference not valid',
      description: 'Send merchantId or wallet_id once, as a string.',
    });
  });

  it('demands any of them, of which each element of a list may have another', async () => {
    for (const body of [{ wallet_id: 'BTQ-1001' }, [{ merchantId: 'BTQ-1001' }, { wallet_id: 'BTQ-1001' }]]) {
      expect((await post(HOST_NAMES, body)).status).to.equal(200);
    }
  });

  it('has a mark with a copy of its names', async () => {
    const { auth, express } = framework;
    const middleware = auth.requireBearer({ referenceNames: HOST_NAMES });
    const markOf = (handler: object) =>
      Reflect.get(handler, Symbol.for('express-merchant-auth.mark')) as { names: string[] };
    expect(markOf(middleware).names.splice(0)).to.deep.equal(HOST_NAMES);
    const app = express().use(middleware, auth.authErrorHandler());
    const { awa } = await servePayments(framework);
    expectError(await request(app).get('/').set(awa).set('wallet_id', 'CNT-1002'), {
      code: 403,
      error: FOREIGN_REFERENCE,
      message: 'Not your reference',
      description: 'This wallet_id is not yours. Send the marchand.referencl of your login.',
    });
    expect(markOf(auth.requireBearer())).to.deep.include({ kind: 'bearer', names: ['refercence_cl'] });
  });
});
