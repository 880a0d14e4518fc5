import { inspect } from 'node:util';
import { expect } from 'chai';
import request, { type Response } from 'supertest';
import { type AuthError, createTokens } from '../../src/index.js';
import { accountStore, AWA, KOFI, PASSWORD, withPassword, WRONG } from '../helpers/accounts.js';
import {
  expectRevokedToken,
  expectWrongCredentials,
  INVALID_BODY,
  METHOD_NOT_ALLOWED,
  WRONG_CREDENTIALS,
} from '../helpers/answers.js';
import { serveLogin, startLogin } from '../helpers/login-host.js';
import { FRAMEWORK, onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { QUICK_HASH, quickAccountStore } from '../helpers/quick-passwords.js';
import { expectTypeError } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';

const RIGHT = { email: AWA.email, password: PASSWORD };

const tokenOf = ({ body }: Response): string => (body as { authorisation: { token: string } }).authorisation.token;

onEachExpress('createLoginRouter', (framework) => {
  const { auth } = framework;

  it('answers the success body with exactly its members, in their order', async () => {
    const { app } = await servePayments(framework);
    const answer = await request(app).post('/v1/login').send(RIGHT).expect(200);
    const token = tokenOf(answer);
    expect(answer.text).to.equal(
      '{"status":"Success","success":true,"code":200,"message":"Login success",' +
        '"user":{"email":"awa@boutique.example","phone":"+2250700000001"},' +
        '"marchand":{"referencl":"BTQ-1001","statut":1},' +
        `"authorisation":{"token":"${token}","type":"bearer"}}`,
    );
    expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).to.equal('no-store');
    expect(auth.createTokens().verify(token)).to.include({ sub: AWA.id, referencl: 'BTQ-1001' });
  });

  it('answers GET, HEAD, PUT, PATCH and DELETE with 405, which names POST', async () => {
    const { app, asked } = await serveLogin({ framework });
    for (const method of ['get', 'head', 'put', 'patch', 'delete'] as const) {
      const sent = request(app)[method]('/v1/login').expect(405).expect('Allow', 'POST');
      const { text } = await (method === 'put' ? sent.send(RIGHT) : sent);
      expect(text).to.equal(
        method === 'head'
          ? undefined
          : `{"status":"Error","success":false,"code":405,"error":"${METHOD_NOT_ALLOWED}","message":"Method not allowed",` +
              '"description":"Use POST."}',
      );
    }
    expect(asked).to.deep.equal([]);
  });

  it('answers no other request', async () => {
    const { app } = await serveLogin({ framework });
    await request(app).options('/v1/login').expect(404);
    for (const path of ['/v1/logins', '/login']) await request(app).post(path).expect(404);
  });

  it('never reads credentials from the query string', async () => {
    const { app } = await serveLogin({ framework });
    const post = () => request(app).post('/v1/login').query(RIGHT);
    await post().send({}).expect(400);
    expectWrongCredentials(await post().send({ email: KOFI.email, password: WRONG }));
  });

  it('passes the rejection of a hasher to next(error), even one without a reason, and never answers 401', async () => {
    for (const reason of [new Error('out of memory'), new DOMException('of the format', 'AbortError'), undefined]) {
      const { quick, hostErrors, app } = await serveLogin({ framework });
      quick.verify = () => Promise.reject(reason);
      await request(app).post('/v1/login').send(RIGHT).expect(500);
      expect(hostErrors).to.have.length(1);
      if (reason) expect(hostErrors[0]).to.equal(reason);
    }
  });

  it('gives refusals to respond, without the password in their causes, and never a success', async () => {
    const causes: AuthError[] = [];
    const { app } = await serveLogin({
      framework,
      respond: (error, _req, res) => {
        causes.push(error);
        res.statusCode = 418;
        res.end();
      },
    });
    const text = JSON.stringify(RIGHT);
    const post = (body: string | object) => request(app).post('/v1/login').type('json').send(body);
    for (const body of [text.slice(0, -1), JSON.stringify(PASSWORD), '{}', text.replace(AWA.email, KOFI.email)]) {
      await post(body).expect(body.includes(KOFI.email) ? 200 : 418);
    }
    await post({ ...RIGHT, password: WRONG }).expect(418);
    const codes = [INVALID_BODY, INVALID_BODY, INVALID_BODY, WRONG_CREDENTIALS];
    expect(causes.map(({ code }) => code)).to.deep.equal(codes);
    expect(inspect(causes, { depth: 10, showHidden: true })).not.to.include(PASSWORD.slice(0, 6));
  });

  it('never calls next with the AbortError of a disconnected caller, and writes nothing', async () => {
    const refused: unknown[] = [];
    const gone: { headersSent: boolean }[] = [];
    const host = await serveLogin({
      framework,
      hashing: { maxConcurrentHashes: 1 },
      before: [
        (_req, res, next) => {
          res.once('close', () => res.writableEnded || gone.push(res));
          next();
        },
      ],
      respond: (error, _req, _res, next) => next(refused.push(error)),
    });
    const { quick, asked, hostErrors } = host;
    const end = quick.hold();
    const first = host.logIn();
    await until(() => quick.compared.length === 1);
    const waiting = startLogin(host.client.port, AWA.email, WRONG);
    await until(() => asked.length === 2);
    await settle();
    waiting.hangUp();
    await until(() => gone.length === 1);
    await settle();
    end();
    expect((await first).status).to.equal(200);
    await settle();
    expect([hostErrors, refused, quick.compared.length]).to.deep.equal([[], [], 1]);
    expect(gone[0]?.headersSent).to.equal(false);
  });

  it('has no option except respond for a Login, and accepts no other object as a Login', () => {
    const login = auth.createLogin(accountStore());
    for (const name of ['tokens', 'throttle', 'unknown']) {
      expectTypeError(
        () => auth.createLoginRouter(login, { [name]: undefined }),
        `createLoginRouter: unknown option "${name}". Known options: respond.`,
      );
    }
    expectTypeError(
      () => auth.createLoginRouter(login, { respond: 'json' as never }),
      'createLoginRouter: respond must be a function.',
    );
    expectTypeError(
      () => auth.createLoginRouter(Object.assign({}, login) as never),
      'createLoginRouter: the userStore has no method findCredentials. Give an object that implements UserStore.',
    );
  });
});

describe('POST /login', () => {
  it('issues a token of the time and the tokensValidAfter of the read, so a later change of password revokes it', async () => {
    let now = 1_800_000_000_000;
    const tokens = createTokens({ clock: () => now });
    const readAtLogin = new Date(now - 3_600_000);
    const account = { ...AWA, tokensValidAfter: new Date(readAtLogin) };
    const findCredentials = () => {
      now += 70_000;
      return Promise.resolve({ account, passwordHash: QUICK_HASH });
    };
    const { quick, app } = await serveLogin({ tokens, store: { findCredentials } });
    quick.verify = () => {
      // The store changes the objects that it returned.
      account.tokensValidAfter.setTime(now);
      account.tokensValidAfter = new Date(now);
      return Promise.resolve(true);
    };
    const token = tokenOf(await request(app).post('/v1/login').send(RIGHT).expect(200));
    const valid_after = readAtLogin.getTime();
    expect(tokens.verify(token)).to.include({ iat: 1_800_000_000, exp: 1_800_018_000, valid_after });
    const { store, app: payments } = await servePayments(FRAMEWORK, { guard: { tokens } });
    const ask = () => request(payments).get('/v1/guarded').auth(token, { type: 'bearer' });
    store.put({ ...withPassword(AWA), tokensValidAfter: readAtLogin });
    await ask().expect(200);
    store.put({ ...withPassword(AWA), tokensValidAfter: new Date(1_800_000_005_000) });
    expectRevokedToken(await ask());
  });

  it('accepts an account with a member named then', async () => {
    const found = { account: { ...AWA, then: () => undefined }, passwordHash: QUICK_HASH };
    const { app } = await serveLogin({ store: { findCredentials: () => Promise.resolve(found) } });
    await request(app).post('/v1/login').send(RIGHT).expect(200);
  });

  it('neither trims, nor folds, nor normalises email and password', async () => {
    const { asked, app } = await serveLogin();
    const logIn = (email: string, password = PASSWORD) => request(app).post('/v1/login').send({ email, password });
    const emails = [' awa@boutique.example', 'AWA@boutique.example', 'e\u0301@boutique.example', '%@_\'"\\.example'];
    for (const email of emails) expectWrongCredentials(await logIn(email));
    expectWrongCredentials(await logIn(AWA.email, `${PASSWORD} `));
    expect(asked).to.deep.equal([...emails, AWA.email]);
  });

  it('answers each of many overlapping logins with its own account', async () => {
    const accounts = Array.from({ length: 200 }, (_unused, i) => ({
      ...AWA,
      id: `id-${i}`,
      email: `merchant-${i}@boutique.example`,
      marchand: { referencl: `REF-${i}`, statut: i },
    }));
    const { app } = await serveLogin({ store: quickAccountStore(accounts) });
    const logIn = async ({ email, marchand }: typeof AWA) => {
      const answer = await request(app).post('/v1/login').send({ email, password: PASSWORD });
      expect(answer.body).to.deep.include({ marchand });
    };
    await Promise.all(accounts.map(logIn));
  });
});
