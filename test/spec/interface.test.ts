import { expect } from 'chai';
import supertest from 'supertest';
import { AWA, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import { bearer } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const CHALLENGE = 'Bearer realm="merchant"';

/** One merchant from the login to a payment, as docs/interface.md describes it. Other suites have the rules one by one. */
onEachExpress('docs/interface.md', (framework) => {
  it('lets a merchant log in and act for itself, and for no other merchant', async () => {
    const { client } = await servePayments(framework);
    const v1 = supertest(`http://127.0.0.1:${client.port}/v1`);
    const pay = (refercence_cl: string) => v1.post('/transactions').send({ refercence_cl, amount: 1500 });

    const wrong = await v1.post('/login').send({ email: AWA.email, password: WRONG });
    expect(wrong.status).to.equal(401);
    expect(wrong.headers).to.include({ 'content-type': JSON_TYPE, 'www-authenticate': CHALLENGE });
    expect(wrong.body).to.deep.equal({
      status: 'Error',
      success: false,
      code: 401,
      error: 'wrong_credentials',
      message: 'Wrong email or password',
      description: 'The email or the password is wrong. Check both and log in again.',
    });

    const login = await v1.post('/login').send({ email: AWA.email, password: PASSWORD });
    expect(login.status).to.equal(200);
    expect(login.headers).to.include({ 'content-type': JSON_TYPE, 'cache-control': 'no-store' });
    const { token } = (login.body as { authorisation: { token: string } }).authorisation;
    const success = {
      status: 'Success',
      success: true,
      code: 200,
      message: 'Login success',
      user: { email: AWA.email, phone: AWA.phone },
      marchand: { referencl: 'BTQ-1001', statut: 1 },
      authorisation: { token, type: 'bearer' },
    };
    expect(login.text).to.equal(JSON.stringify(success));

    const own = await pay(AWA.marchand.referencl).set(bearer(token));
    expect(own.status).to.equal(200);
    expect(own.body).to.include({ id: AWA.id, referencl: 'BTQ-1001' });

    const foreign = await pay(KOFI.marchand.referencl).set(bearer(token));
    expect(foreign.status).to.equal(403);
    expect(foreign.body).to.include({ code: 403, error: 'foreign_reference', message: 'Not your refercence_cl' });

    const anonymous = await pay(AWA.marchand.referencl);
    expect(anonymous.status).to.equal(401);
    expect(anonymous.headers).to.include({ 'www-authenticate': CHALLENGE });
    expect(anonymous.body).to.include({ code: 401, error: 'missing_token', message: 'Token missing' });
  });
});
