import { expect } from 'chai';
import supertest from 'supertest';
import { AWA, KOFI, PASSWORD } from '../helpers/accounts.js';
import { bearer } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';

/** One merchant from the login to a payment. The snapshot of the answers and the contract have the rules one by one. */
onEachExpress('docs/interface.md', (framework) => {
  it('lets a merchant log in and act for itself, and for no other merchant', async () => {
    const { client } = await servePayments(framework);
    const v1 = supertest(`http://127.0.0.1:${client.port}/v1`);
    const login = await v1.post('/login').send({ email: AWA.email, password: PASSWORD });
    const { token } = (login.body as { authorisation: { token: string } }).authorisation;
    const pay = ({ marchand }: typeof AWA) =>
      v1.post('/transactions').set(bearer(token)).send({ refercence_cl: marchand.referencl, amount: 1500 });
    expect((await pay(AWA)).body).to.include({ id: AWA.id, referencl: 'BTQ-1001' });
    expect((await pay(KOFI)).body).to.include({ code: 403, error: 'foreign_reference' });
  });
});
