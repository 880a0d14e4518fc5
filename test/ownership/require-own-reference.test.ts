import { expect } from 'chai';
import type { Request, RequestHandler } from 'express';
import {
  expectForeignReference,
  expectInvalidBody,
  expectInvalidReference,
  expectMissingReference,
  expectUnreadableBody,
} from '../helpers/answers.js';
import { accountStore, AWA } from '../helpers/accounts.js';
import { type Answer, bearer, serve, type Sending } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { type Payments, servePayments } from '../helpers/payments.js';

const OWN = 'BTQ-1001';
const FOREIGN = 'CNT-1002';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };

onEachExpress('ownership', (framework) => {
  const { auth, express, major } = framework;
  let payments: Payments;
  beforeEach(async () => {
    payments = await servePayments(framework);
  });

  const ask = (method: string, path: string, sending: Sending = {}): Promise<Answer> =>
    payments.client.send(method, path, { ...sending, headers: { ...(sending.headers as object), ...payments.awa } });
  const post = (path: string, body?: unknown) => ask('POST', path, { body });

  function expectPass(answer: Answer): void {
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.json).to.include({ id: '1', referencl: OWN });
  }

  describe('behind requireBearer alone', () => {
    it('passes requests that carry no reference', async () => {
      expectPass(await ask('GET', '/v1/guarded'));
      expectPass(await ask('GET', '/v1/guarded?page=2'));
      expectPass(await post('/v1/guarded', { amount: 5 }));
      expectPass(await post('/v1/guarded'));
    });

    it('passes the own reference and refuses any other, in query and body (ASVS 2.2.3)', async () => {
      expectPass(await ask('GET', `/v1/guarded?refercence_cl=${OWN}`));
      expectPass(await post('/v1/guarded', { refercence_cl: OWN }));
      expectForeignReference(await ask('GET', `/v1/guarded?refercence_cl=${FOREIGN}`));
      expectForeignReference(await post('/v1/guarded', { refercence_cl: FOREIGN }));
      expectForeignReference(await post('/v1/guarded', { refercence_cl: '' }));
      expectForeignReference(await post('/v1/guarded', { refercence_cl: 'NO-SUCH-MERCHANT' }));
      expectForeignReference(
        await post('/v1/guarded', { batch: [{ refercence_cl: OWN }, { refercence_cl: FOREIGN }] }),
      );
      expectForeignReference(await post(`/v1/guarded?refercence_cl=${FOREIGN}`, { refercence_cl: OWN }));
      expectForeignReference(await post(`/v1/guarded?refercence_cl=${OWN}`, { refercence_cl: FOREIGN }));
    });

    it('checks a query that the host assigned, also without one in the URL', async () => {
      const before: RequestHandler = (req, _res, next) => {
        const query = { refercence_cl: req.headers['x-reference'] };
        Object.defineProperty(req, 'query', { value: query, configurable: true, enumerable: true, writable: true });
        next();
      };
      const { client, awa } = await servePayments(framework, { before: [before] });
      const ask = (reference: string) =>
        client.send('GET', '/v1/guarded', { headers: { ...awa, 'X-Reference': reference } });
      expectForeignReference(await ask(FOREIGN));
      expectPass(await ask(OWN));
    });

    it('checks the URL that the client sent, and the URL that a middleware wrote', async () => {
      const app = express();
      app.use((req, _res, next) => {
        req.url = req.get('X-Rewritten') ?? req.url;
        next();
      });
      app.use(auth.requireBearer({ userStore: accountStore() }), (_req, res) => void res.end('passed'));
      const client = await serve(app);
      const token = bearer(auth.createTokens().issue(AWA));
      const send = (sent: string, rewritten: string) =>
        client.send('GET', sent, { headers: { ...token, 'X-Rewritten': rewritten } });
      const own = `/?refercence_cl=${OWN}`;
      for (const url of ['/', own, `${own}&page=2`]) {
        expect((await send(url, own)).text).to.equal('passed');
        expectForeignReference(await send(url, `/?refercence_cl=${FOREIGN}`));
        expectForeignReference(await send(`/?refercence_cl=${FOREIGN}`, url));
      }
      // The beginning of what the client sent.
      expectForeignReference(await send(own, own.slice(0, -1)));
    });

    it('checks the members of the query that are beyond the limit of the parser', async () => {
      const padding = 'a&'.repeat(1_000);
      expectPass(await ask('GET', `/v1/guarded?${padding}refercence_cl=${OWN}`));
      expectForeignReference(await ask('GET', `/v1/guarded?${padding}refercence_cl=${FOREIGN}`));
    });

    it('refuses a copy that no handler reads, also in a body on GET and DELETE', async () => {
      for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
        expectForeignReference(await ask(method, '/v1/guarded', { body: { meta: { refercence_cl: FOREIGN } } }));
      }
      const proto = `{"__proto__":{"refercence_cl":"${FOREIGN}"}}`;
      expectForeignReference(await ask('POST', '/v1/guarded', { body: proto, headers: JSON_TYPE }));
    });

    it('refuses repeated keys, arrays and brackets in the query (ASVS 15.3.7)', async () => {
      const own = `refercence_cl=${OWN}`;
      for (const query of [
        `${own}&${own}`,
        `${own}&refercence_cl=${FOREIGN}`,
        `refercence_cl[]=${OWN}`,
        `refercence_cl[0]=${OWN}`,
        `refercence_cl[a]=${OWN}`,
        `refercence_cl%5B%5D=${OWN}`,
        `refercence_cl[`,
      ]) {
        expectInvalidReference(await ask('GET', `/v1/guarded?${query}`));
      }
    });

    it('never ignores a bracketed key of the query', async () => {
      const foreign = await ask('GET', `/v1/guarded?[refercence_cl]=${FOREIGN}`);
      // qs, the parser of Express 4, makes the field itself.
      if (major === 4) expectForeignReference(foreign);
      else expectInvalidReference(foreign);
    });

    it('refuses members that are not a string (ASVS 2.2.2)', async () => {
      for (const value of [null, 1001, true, [OWN], { $ne: null }]) {
        expectInvalidReference(await post('/v1/guarded', { refercence_cl: value }));
      }
    });

    it('decides on a body that is nested 50,000 deep', async () => {
      const deep = (core: string) => `${'['.repeat(45_000)}${core}${']'.repeat(45_000)}`;
      const sending = (core: string) => ({ body: deep(core), headers: JSON_TYPE });
      expectForeignReference(await ask('POST', '/v1/guarded', sending(`{"refercence_cl":"${FOREIGN}"}`)));
      expectPass({ ...(await ask('POST', '/v1/guarded', sending(`{"refercence_cl":"${OWN}"}`))) });
    });

    it('leaves the parsed JSON in req.body for the handler', async () => {
      const body = { refercence_cl: OWN, amount: 5 };
      expect((await post('/v1/guarded', body)).json).to.deep.include({ body });
      const headers = { 'Content-Type': 'application/vnd.api+json' };
      expect((await ask('POST', '/v1/guarded', { headers, body: JSON.stringify(body) })).json).to.deep.include({
        body,
      });
    });

    it('reads up to bodyLimit, 100 KiB by default', async () => {
      const body = (bytes: number) => JSON.stringify({ padding: 'x'.repeat(bytes - '{"padding":""}'.length) });
      const send = (bytes: number) => ask('POST', '/v1/guarded', { body: body(bytes), headers: JSON_TYPE });
      expectPass(await send(102_400));
      expectInvalidBody(await send(102_401), 'The body is too large.');
      payments = await servePayments(framework, { guard: { bodyLimit: 1024 } });
      expectPass(await send(1024));
      expectInvalidBody(await send(1025), 'The body is too large.');
      const answer = await ask('POST', '/v1/transactions', { body: body(1025), headers: JSON_TYPE });
      expectInvalidBody(answer, 'The body is too large.');
    });

    it('refuses a body that it cannot see, and tells the caller what to send', async () => {
      const form = `refercence_cl=${FOREIGN}`;
      expectUnreadableBody(await ask('POST', '/v1/guarded', { body: form, headers: FORM_TYPE }));
      expectUnreadableBody(await ask('POST', '/v1/guarded', { body: form, headers: { 'Content-Type': 'text/plain' } }));
      expectUnreadableBody(await ask('POST', '/v1/guarded', { body: form }));
      expectUnreadableBody(await ask('POST', '/v1/guarded', { body: form, chunked: true }));
      const multipart = { 'Content-Type': 'multipart/form-data; boundary=b' };
      expectUnreadableBody(await ask('POST', '/v1/guarded', { body: '--b--', headers: multipart }));
    });

    it('treats an empty chunked POST as one without a body', async () => {
      expectPass(await ask('POST', '/v1/guarded', { chunked: true }));
      expectPass(await ask('POST', `/v1/transactions?refercence_cl=${OWN}`, { chunked: true }));
      payments = await servePayments(framework, { before: [express.json()] });
      expectPass(await ask('POST', `/v1/transactions?refercence_cl=${OWN}`, { chunked: true }));
    });

    it('checks only the path parameters of the route on which it is mounted', async () => {
      const store = accountStore();
      const app = express();
      app.get(
        '/merchants/:refercence_cl/a',
        auth.requireBearer({ userStore: store }),
        (_req, res) => void res.end('a'),
      );
      app.use(auth.requireBearer({ userStore: store }));
      app.get('/merchants/:refercence_cl/b', (_req, res) => void res.end('b'));
      const client = await serve(app);
      const headers = bearer(auth.createTokens().issue(AWA));
      expectForeignReference(await client.send('GET', `/merchants/${FOREIGN}/a`, { headers }));
      expect((await client.send('GET', `/merchants/${OWN}/a`, { headers })).text).to.equal('a');
      expect((await client.send('GET', `/merchants/${FOREIGN}/b`, { headers })).text).to.equal('b');
    });
  });

  describe('with requireOwnReference', () => {
    it('demands the reference at the top of the body', async () => {
      expectPass(await post('/v1/transactions', { refercence_cl: OWN }));
      expectMissingReference(await post('/v1/transactions', {}));
      expectMissingReference(await post('/v1/transactions', { data: { refercence_cl: OWN } }));
      expectMissingReference(await post(`/v1/transactions?refercence_cl=${OWN}`, { amount: 5 }));
    });

    it('demands it in each element of an array, and at least one element', async () => {
      expectPass(await post('/v1/transactions', [{ refercence_cl: OWN }, { refercence_cl: OWN }]));
      expectMissingReference(await post('/v1/transactions', [{ refercence_cl: OWN }, {}]));
      expectMissingReference(await post('/v1/transactions', []));
      expectForeignReference(await post('/v1/transactions', [{ refercence_cl: OWN }, { refercence_cl: FOREIGN }]));
    });

    it('takes it from the query of a request without a body', async () => {
      expectPass(await ask('GET', `/v1/transactions?refercence_cl=${OWN}`));
      expectPass(await ask('POST', `/v1/transactions?refercence_cl=${OWN}`));
      expectMissingReference(await ask('GET', '/v1/transactions'));
    });

    it('takes it from a path parameter', async () => {
      expectPass(await ask('GET', `/v1/merchants/${OWN}`));
      expectPass(await post(`/v1/merchants/${OWN}`, { amount: 5 }));
      expectForeignReference(await ask('GET', `/v1/merchants/${FOREIGN}`));
      expectForeignReference(await post(`/v1/merchants/${OWN}`, { refercence_cl: FOREIGN }));
    });

    it('treats an optional path parameter without a value as absent', async () => {
      const app = express();
      const path = major === 4 ? '/m/:refercence_cl?' : '/m{/:refercence_cl}';
      app.post(path, auth.requireBearer(), auth.requireOwnReference(), (_req, res) => void res.end('passed'));
      const client = await serve(app);
      const headers = bearer(auth.createTokens().issue(AWA));
      const own = { headers, body: { refercence_cl: OWN } };
      expect((await client.send('POST', '/m', own)).text).to.equal('passed');
      expectForeignReference(await client.send('POST', `/m/${FOREIGN}`, own));
    });

    it('tells a caller that sent reference_cl what is wrong', async () => {
      const hint = ' You sent reference_cl.';
      expectMissingReference(await post('/v1/transactions', { reference_cl: OWN }), hint);
      expectMissingReference(await ask('GET', `/v1/transactions?reference_cl=${OWN}`), hint);
      expectMissingReference(await post('/v1/transactions', [{ reference_cl: OWN }]), hint);
    });

    it('checks the body that a parser after the guard left', async () => {
      payments = await servePayments(framework, {
        guard: { reference: 'unchecked' },
        behind: [express.urlencoded({ extended: true })],
      });
      const form = (body: string) => ask('POST', '/v1/transactions', { body, headers: FORM_TYPE });
      expectPass(await form(`refercence_cl=${OWN}`));
      expectForeignReference(await form(`refercence_cl=${FOREIGN}`));
      expectInvalidReference(await form(`refercence_cl=${OWN}&refercence_cl=${OWN}`));
      expectForeignReference(await form(`refercence_cl=${OWN}&a[b][refercence_cl]=${FOREIGN}`));
      expectMissingReference(await form('amount=5'));
    });

    it('searches again, because a middleware after the guard can change each part of the request', async () => {
      const changes: ((req: Request) => void)[] = [
        (req) => void (req.body = { refercence_cl: FOREIGN }),
        (req) => void Object.assign(req.body as object, { refercence_cl: FOREIGN }),
        (req) => void Object.assign(req.body as object, { batch: [{ refercence_cl: FOREIGN }] }),
        (req) => void (req.url += `?refercence_cl=${FOREIGN}`),
        (req) => void Object.defineProperty(req, 'query', { value: { refercence_cl: FOREIGN } }),
      ];
      for (const change of changes) {
        const behind: RequestHandler = (req, _res, next) => {
          change(req);
          next();
        };
        payments = await servePayments(framework, { behind: [behind] });
        expectForeignReference(await post('/v1/transactions', { refercence_cl: OWN }));
      }
    });

    it('demands the reference that from returns, and still checks all others', async () => {
      payments = await servePayments(framework, { ownReference: { from: (req) => req.headers['x-merchant'] } });
      const send = (merchant: object, body: object = {}) =>
        ask('POST', '/v1/transactions', { headers: merchant as never, body });
      expectPass(await send({ 'X-Merchant': OWN }));
      expectMissingReference(await send({}, { refercence_cl: OWN }));
      expectForeignReference(await send({ 'X-Merchant': FOREIGN }));
      expectForeignReference(await send({ 'X-Merchant': OWN }, { refercence_cl: FOREIGN }));
      payments = await servePayments(framework, { ownReference: { from: () => [OWN] } });
      expectInvalidReference(await send({}));
      payments = await servePayments(framework, { ownReference: { from: () => Promise.resolve(OWN) } });
      expectPass(await send({}));
    });

    it('passes a value that from throws or rejects with to next(error), once, with and without a body', async () => {
      const thrown = new Error('no such tenant');
      const throws = () => {
        throw thrown;
      };
      for (const from of [
        throws,
        () => Promise.reject(thrown),
        () => Promise.reject('route'),
        () => Promise.reject(undefined),
      ]) {
        payments = await servePayments(framework, { ownReference: { from } });
        for (const body of [undefined, { refercence_cl: OWN }]) {
          payments.hostErrors.length = 0;
          expect((await post('/v1/transactions', body)).status).to.equal(500);
          expect(payments.hostErrors).to.have.length(1);
          expect(payments.hostErrors[0]).to.be.instanceOf(Error);
        }
      }
    });

    it('inherits respond from the guard', async () => {
      payments = await servePayments(framework, {
        guard: {
          respond: (error, _req, res) => {
            res.statusCode = error.status;
            res.end(error.code);
          },
        },
      });
      expect((await post('/v1/transactions', {})).text).to.equal('missing_reference');
      expect((await post('/v1/transactions', { refercence_cl: FOREIGN })).text).to.equal('foreign_reference');
    });

    it('passes a TypeError to next for a request that passed no guard (ASVS 2.3.1)', async () => {
      const app = express();
      app.get('/', auth.requireOwnReference(), (_req, res) => void res.end('passed'));
      app.use((err: Error, _req: unknown, res: { end(text: string): void }, next: unknown) => {
        res.end(`${err.name}: ${err.message}`);
        return next;
      });
      expect((await (await serve(app)).send('GET', '/')).text).to.equal(
        'TypeError: requireOwnReference: this request passed no guard. Mount requireBearer(...) before this route. A ' +
          'refused request has no caller, even if an error handler calls next().',
      );
    });

    it('throws at construction for a wrong option', () => {
      expect(() => auth.requireOwnReference({ form: 1 } as never)).to.throw(
        TypeError,
        'requireOwnReference: unknown option "form". Known options: from.',
      );
      expect(() => auth.requireOwnReference({ from: 'body' } as never)).to.throw(
        TypeError,
        'requireOwnReference: from must be a function.',
      );
    });
  });
});
