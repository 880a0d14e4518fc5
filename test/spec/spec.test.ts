import { expect } from 'chai';
import supertest from 'supertest';
import { AWA, FERMEE, KOFI, PASSWORD } from '../helpers/accounts.js';
import { bearer } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { type Payments, servePayments } from '../helpers/payments.js';

const LIFETIME_MS = 18_000_000;

interface LoginSuccess {
  readonly user: { readonly email: unknown; readonly phone: unknown };
  readonly marchand: { readonly referencl: string; readonly statut: unknown };
  readonly authorisation: { readonly token: string; readonly type: unknown };
}

/**
 * Every rule of docs/interface.md that binds the server is the title of a test, under the number of its section. Those that
 * hold for every host are the cases of `authContract`.
 */
onEachExpress('docs/interface.md', (framework) => {
  const { auth, testing } = framework;
  let payments: Payments;
  let v1: ReturnType<typeof supertest>;
  beforeEach(async () => {
    payments = await servePayments(framework);
    v1 = supertest(`http://127.0.0.1:${payments.client.port}/v1`);
  });

  describe('the rules that hold for every host', () => {
    for (const { name, run } of testing.authContract(() =>
      Promise.resolve({
        baseUrl: `http://127.0.0.1:${payments.client.port}`,
        merchant: { email: AWA.email, password: PASSWORD, referencl: AWA.marchand.referencl },
        otherMerchant: { email: KOFI.email, password: PASSWORD, referencl: KOFI.marchand.referencl },
        disabledMerchant: { email: FERMEE.email, password: PASSWORD },
        transactions: { body: (refercence_cl) => ({ refercence_cl, amount: 1500, currency: 'XOF' }) },
        tokens: auth.createTokens(),
      }),
    )) {
      it(name, run);
    }
  });

  const post = (body: object) => v1.post('/login').send(body);
  const logIn = (email: string = AWA.email, password: string = PASSWORD) => post({ email, password });
  const tokenOf = async (email?: string) => ((await logIn(email)).body as LoginSuccess).authorisation.token;
  const transact = (token: string, refercence_cl: string) =>
    v1.post('/transactions').set(bearer(token)).send({ refercence_cl });
  const issuedAgo = (ms: number) => auth.createTokens({ clock: () => Date.now() - ms }).issue(AWA);

  describe('2.2 Login success response body (JSON, HTTP 200)', () => {
    let body: LoginSuccess;
    beforeEach(async () => {
      ({ body } = (await logIn().expect(200).expect('Content-Type', 'application/json; charset=utf-8')) as {
        body: LoginSuccess;
      });
    });

    it('`status`: The constant `Success`', () => expect(body).to.have.property('status', 'Success'));
    it('`success`: `true`', () => expect(body).to.have.property('success', true));
    it('`code`: `200`', () => expect(body).to.have.property('code', 200));
    it('`message`: The constant `Login success`', () => expect(body).to.have.property('message', 'Login success'));
    it('`user`: Holds `email` (string) and `phone` (string) of the account', () =>
      expect(body.user).to.deep.equal({ email: AWA.email, phone: AWA.phone }));
    it('`marchand`: Holds `referencl` (string) and `statut` (integer)', () =>
      expect(body.marchand).to.deep.equal({ referencl: 'BTQ-1001', statut: 1 }));
    it('`authorisation`: Holds `token` (string) and `type` (string)', () => {
      expect(Object.keys(body.authorisation)).to.deep.equal(['token', 'type']);
      expect(body.authorisation.token).to.be.a('string');
    });

    it('1. `authorisation.token` is the JWT to send in the Authorization header.', async () => {
      expect(body.authorisation.token.split('.')).to.have.length(3);
      await v1.get('/guarded').set('Authorization', `Bearer ${body.authorisation.token}`).expect(200);
    });

    it('2. `authorisation.type` is always `bearer`.', () => expect(body.authorisation.type).to.equal('bearer'));

    it('3. `marchand.referencl` is the merchant reference. Its value is what the merchant sends as `refercence_cl` in transaction requests.', async () => {
      await transact(body.authorisation.token, body.marchand.referencl).expect(200);
    });

    it('4. `marchand.statut` is an integer.', () => expect(body.marchand.statut).to.satisfy(Number.isInteger));
  });

  describe('4. Endpoints: POST /login', () => {
    it('Method and path: `POST /login`', async () => {
      await logIn().expect(200);
      await v1.get('/login').query({ email: AWA.email, password: PASSWORD }).expect(401);
      await v1.put('/login').send({ email: AWA.email, password: PASSWORD }).expect(401);
      await v1.options('/login').expect(401);
    });

    it('Token required: No', async () => {
      await logIn().expect(200);
      await logIn().set('Authorization', 'Bearer not.a.token').expect(200);
    });

    it('Success: HTTP 200 with the login success body (2.2)', async () => {
      expect((await logIn(KOFI.email).expect(200)).body).to.have.all.keys([
        'status',
        'success',
        'code',
        'message',
        'user',
        'marchand',
        'authorisation',
      ]);
    });

    it('Failure: HTTP 400 when the body is invalid: missing field, malformed email, password too short.', async () => {
      await post({}).expect(400);
      await logIn('boutique.example').expect(400);
      await logIn(AWA.email, 'short').expect(400);
    });

    it('Failure: HTTP 401 when the credentials are wrong or the merchant account is disabled; the detail is in the `description` field of the error response', async () => {
      const wrong = await logIn(AWA.email, 'not the password').expect(401);
      const unknown = await logIn('nobody@boutique.example').expect(401);
      const disabled = await logIn(FERMEE.email).expect(401);
      const description = 'The email or the password is wrong. Check both and log in again.';
      expect(wrong.body).to.have.property('description', description);
      expect(unknown.body).to.have.property('description', description);
      expect(disabled.body).to.have.property(
        'description',
        'This merchant account is disabled. Ask the operator of this service.',
      );
    });
  });

  describe('5. Authentication', () => {
    it('1. The service uses a Bearer token in JWT form.', async () => {
      const [header = ''] = (await tokenOf()).split('.');
      expect(JSON.parse(Buffer.from(header, 'base64url').toString())).to.include({ alg: 'HS256', typ: 'at+jwt' });
    });

    it('2. The token is obtained with `POST /login` using the API email and password.', async () => {
      await v1
        .get('/guarded')
        .set(bearer(await tokenOf()))
        .expect(200);
    });

    it('3. Every request except `POST /login` carries the header `Authorization: Bearer <ACCESS_TOKEN>`.', async () => {
      const token = await tokenOf();
      await v1.get('/guarded').set('Authorization', `Bearer ${token}`).expect(200);
      await v1.get('/guarded').set('Authorization', token).expect(401);
      await v1.get('/guarded').query({ access_token: token }).expect(401);
    });

    it('4. The token is valid for 5 hours (18,000 seconds).', async () => {
      const { iat, exp } = auth.createTokens().verify(await tokenOf());
      expect(exp - iat).to.equal(18_000);
      await v1
        .get('/guarded')
        .set(bearer(issuedAgo(LIFETIME_MS - 60_000)))
        .expect(200);
      await v1
        .get('/guarded')
        .set(bearer(issuedAgo(LIFETIME_MS)))
        .expect(401);
    });

    it('5. There is no refresh token. After expiry the client logs in again.', async () => {
      expect((await logIn()).text).not.to.include('refresh');
      await v1
        .get('/guarded')
        .set(bearer(issuedAgo(LIFETIME_MS)))
        .expect(401);
      await v1
        .get('/guarded')
        .set(bearer(await tokenOf()))
        .expect(200);
    });

    it("6. The token is tied to the account. Transactions may be initiated only for the account's own `refercence_cl`.", async () => {
      const token = await tokenOf();
      expect((await transact(token, 'BTQ-1001').expect(200)).body).to.include({ id: AWA.id, referencl: 'BTQ-1001' });
      await transact(token, 'CNT-1002').expect(403);
      await transact(await tokenOf(KOFI.email), 'CNT-1002').expect(200);
    });

    it('7. Recommended client behaviour: cache the token on the client’s server and log in again upon the first 401 response', async () => {
      const cached = await tokenOf();
      const renewed = await tokenOf();
      for (const token of [cached, renewed, cached]) await transact(token, 'BTQ-1001').expect(200);
      payments.store.put({ ...AWA, password: 'a new password', tokensValidAfter: new Date(Date.now() + 2_000) });
      await transact(cached, 'BTQ-1001').expect(401);
      const { body } = (await logIn(AWA.email, 'a new password').expect(200)) as { body: LoginSuccess };
      await transact(body.authorisation.token, 'BTQ-1001').expect(200);
    });

    it('8. A request to any route other than `/login` with a missing, expired or invalid token gets HTTP 401.', async () => {
      for (const route of ['/guarded', '/transactions', '/merchants/BTQ-1001', '/no-such-route']) {
        await v1.post(route).expect(401);
        await v1
          .post(route)
          .set(bearer(issuedAgo(LIFETIME_MS)))
          .expect(401);
        await v1
          .post(route)
          .set(bearer(`${await tokenOf()}x`))
          .expect(401);
      }
    });
  });

  describe('7. Errors', () => {
    it('400, `/login`: Invalid body: missing field, malformed email, password too short', async () => {
      for (const body of [{}, { email: 'boutique', password: PASSWORD }, { email: AWA.email, password: 'short' }]) {
        await post(body).expect(400);
      }
    });

    it('401, `/login`: Wrong credentials, or merchant account disabled; detail is in `description`', async () => {
      for (const [email, password] of [
        [AWA.email, 'not the password'],
        [FERMEE.email, PASSWORD],
      ]) {
        expect((await logIn(email, password).expect(401)).body)
          .to.have.property('description')
          .that.is.a('string');
      }
    });

    it('401, all other routes: Token missing, expired or invalid', async () => {
      await v1.get('/guarded').expect(401);
      await v1
        .get('/guarded')
        .set(bearer(issuedAgo(LIFETIME_MS)))
        .expect(401);
      await v1.get('/guarded').set(bearer('a.b.c')).expect(401);
    });
  });

  describe('8. Limits', () => {
    it('Token lifetime: 5 hours (18,000 seconds)', () => expect(auth.TOKEN_LIFETIME_SECONDS).to.equal(18_000));
  });
});
