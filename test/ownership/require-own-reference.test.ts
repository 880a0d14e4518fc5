import { deflateRawSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Application, ErrorRequestHandler, Request, RequestHandler } from 'express';
import request, { type Response } from 'supertest';
import type { AuthError } from '../../src/index.js';
import {
  expectError,
  expectForeignReference,
  expectInvalidBody,
  expectInvalidReference,
  expectMissingReference,
  MISSING_REFERENCE,
  UNREADABLE_BODY,
} from '../helpers/answers.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { type Payments, servePayments } from '../helpers/payments.js';
import { expectTypeError } from '../helpers/thrown.js';

const OWN = 'BTQ-1001';
const FOREIGN = 'CNT-1002';

/** Makes a middleware that changes the request. */
function changing(change: (req: Request) => unknown): RequestHandler {
  return (req, _res, next) => {
    change(req);
    next();
  };
}

onEachExpress('ownership', (framework) => {
  const { auth, express, major } = framework;
  let payments: Payments;
  beforeEach(async () => {
    payments = await servePayments(framework);
  });

  const get = (path: string) => request(payments.app).get(path).set(payments.awa);
  const post = (path: string, body?: object) => request(payments.app).post(path).set(payments.awa).send(body);

  function expectPass(answer: Response): void {
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body).to.include({ id: '1', referencl: OWN });
  }

  describe('behind requireBearer alone', () => {
    it('passes the own reference and refuses any other, in query and body', async () => {
      const own = { refercence_cl: OWN };
      expectPass(await post(`/v1/guarded?refercence_cl=${OWN}`, own));
      expectForeignReference(await post(`/v1/guarded?refercence_cl=${FOREIGN}`, own));
      expectForeignReference(await post(`/v1/guarded?${'a&'.repeat(1_000)}refercence_cl=${FOREIGN}`, own));
      for (const reference of [FOREIGN, '', 'NO-SUCH-MERCHANT']) {
        expectForeignReference(await post(`/v1/guarded?refercence_cl=${OWN}`, { refercence_cl: reference }));
      }
      expectForeignReference(await post('/v1/guarded', { batch: [own, { refercence_cl: FOREIGN }] }));
    });

    it('names the header of a body that it cannot decode, and says what to send', async () => {
      const text = '{"amount":5}';
      // Without `serialize`, superagent would send bytes as JSON text.
      const send = (encoding: string, body: string | Buffer) =>
        post('/v1/guarded')
          .type('json')
          .set('Content-Encoding', encoding)
          .serialize((bytes) => bytes as string)
          .send(body);
      const remedy = 'Send the body uncompressed without this header, or as gzip.';
      for (const encoding of ['utf-8', 'none', 'aws-chunked', 'gzip, gzip', 'x-gzip']) {
        const description = `The header Content-Encoding is not supported. ${remedy}`;
        expectInvalidBody(await send(encoding, text), description);
      }
      const corrupt: [string, string | Buffer][] = [
        ['gzip', text],
        ['gzip', gzipSync(text).subarray(0, -9)],
        ['deflate', deflateRawSync(text)],
        ...(major === 5 ? [['br', text] as [string, string]] : []),
      ];
      for (const [encoding, body] of corrupt) {
        const description = `The body does not match the header Content-Encoding. ${remedy}`;
        expectInvalidBody(await send(encoding, body), description);
      }
    });

    it('sees the members of dictionaries with an empty prototype, and names a query that it cannot see', async () => {
      const dictionary = (entries: Iterable<readonly [string, unknown]>): object =>
        Object.assign(Object.create(Object.create(null) as object) as object, Object.fromEntries(entries));
      const form = express.text({ type: 'application/x-www-form-urlencoded' });
      const toDictionary = changing((req) => {
        if (typeof req.body === 'string') req.body = { form: dictionary(new URLSearchParams(req.body)) };
      });
      payments = await servePayments(framework, {
        app: (app) => void app.set('query parser', (text: string) => dictionary(new URLSearchParams(text))),
        before: [form, toDictionary],
      });
      expectPass(await get(`/v1/transactions?refercence_cl=${OWN}`));
      expectForeignReference(await get(`/v1/guarded?refercence_cl=${FOREIGN}`));
      expectForeignReference(await post('/v1/guarded').type('form').send({ refercence_cl: FOREIGN }));
      const refusals: AuthError[] = [];
      payments = await servePayments(framework, {
        app: (app) => void app.set('query parser', (text: string) => new URLSearchParams(text)),
        guard: {
          respond: (error, _req, _res, next) => {
            refusals.push(error);
            next(error);
          },
        },
      });
      expectError(await get('/v1/guarded?page=2'), {
        code: 415,
        error: UNREADABLE_BODY,
        message: 'Query cannot be read',
        description: 'The query cannot be read. Leave the query out, or tell the operator of this service.',
      });
      expect(refusals[0]?.detail).to.equal(
        'req.query hides its members, as a Map does. Let the query parser make plain objects.',
      );
    });

    it('reads up to bodyLimit, 100 KiB by default', async () => {
      const send = (bytes: number, path = '/v1/guarded') =>
        post(path, { padding: 'x'.repeat(bytes - '{"padding":""}'.length) });
      expectPass(await send(102_400));
      expectInvalidBody(await send(102_401), 'The body is larger than 100 KiB. Send less.');
      payments = await servePayments(framework, { guard: { bodyLimit: 1024 } });
      expectPass(await send(1024));
      for (const path of ['/v1/guarded', '/v1/transactions']) {
        expectInvalidBody(await send(1025, path), 'The body is larger than 1 KiB. Send less.');
      }
    });

    it('checks only the path parameters of the route on which it is mounted', async () => {
      const app = express();
      const end: RequestHandler = (_req, res) => void res.end('passed');
      app.get('/merchants/:refercence_cl/a', auth.requireBearer(), end);
      app.use(auth.requireBearer());
      app.get('/merchants/:refercence_cl/b', end);
      const getRoute = (path: string) => request(app).get(path).set(payments.awa);
      expectForeignReference(await getRoute(`/merchants/${FOREIGN}/a`));
      await getRoute(`/merchants/${OWN}/a`).expect('passed');
      await getRoute(`/merchants/${FOREIGN}/b`).expect('passed');
    });
  });

  describe('with requireOwnReference', () => {
    it('demands it in the query of GET, HEAD and DELETE, and in the body of other methods', async () => {
      const query = `/v1/transactions?refercence_cl=${OWN}`;
      const body = { refercence_cl: OWN };
      const ask = (method: 'get' | 'head' | 'delete' | 'put' | 'patch' | 'propfind', path: string) =>
        request(payments.app)[method](path).set(payments.awa);
      for (const method of ['get', 'head', 'delete'] as const) {
        await ask(method, query).expect(200);
        // superagent sends no object with HEAD.
        await ask(method, '/v1/transactions').type('json').send(JSON.stringify(body)).expect(400);
      }
      for (const method of ['put', 'patch', 'propfind'] as const) {
        await ask(method, '/v1/transactions').send(body).expect(200);
        await ask(method, query).send({}).expect(400);
      }
    });

    it('demands the path parameter where any path of the route declares it', async () => {
      expectPass(await post(`/v1/merchants/${OWN}`, { amount: 5 }));
      const app = express();
      app.use(auth.requireBearer());
      const routes: Parameters<Application['get']>[0][] = [
        major === 4 ? '/a/:refercence_cl?' : '/a{/:refercence_cl}',
        ['/b/:refercence_cl', '/b'],
        /^\/c(?:\/(?<refercence_cl>[^/]+))?$/,
        ['/d', /^\/d\/(?<refercence_cl>[^/]+)$/],
      ];
      for (const route of routes) app.get(route, auth.requireOwnReference(), (_req, res) => void res.end('passed'));
      app.use(auth.authErrorHandler());
      const getRoute = (path: string) => request(app).get(path).set(payments.awa);
      for (const path of ['/a', '/b', '/c', '/d']) {
        await getRoute(`${path}/${OWN}`).expect('passed');
        expectForeignReference(await getRoute(`${path}/${FOREIGN}`));
        expectMissingReference(await getRoute(`${path}?refercence_cl=${OWN}`));
      }
      expectForeignReference(await get(`/v1/merchants/${FOREIGN}`));
      expectForeignReference(await post(`/v1/merchants/${OWN}`, { refercence_cl: FOREIGN }));
    });

    it('tells a caller that sent reference_cl what is wrong', async () => {
      const hint = ' You sent reference_cl.';
      expectMissingReference(await post('/v1/transactions', [{ reference_cl: OWN }]), hint);
      expectMissingReference(await get(`/v1/transactions?reference_cl=${OWN}`), hint);
    });

    it('searches again, because a middleware after the guard can change each part of the request', async () => {
      const changes: ((req: Request) => unknown)[] = [
        (req) => (req.body = { refercence_cl: FOREIGN }),
        (req) => Object.assign(req.body as object, { batch: [{ refercence_cl: FOREIGN }] }),
        (req) => (req.url += `?refercence_cl=${FOREIGN}`),
        (req) => Object.defineProperty(req, 'query', { value: { refercence_cl: FOREIGN } }),
      ];
      for (const change of changes) {
        payments = await servePayments(framework, { behind: [changing(change)] });
        expectForeignReference(await post('/v1/transactions', { refercence_cl: OWN }));
      }
    });

    it('demands the reference that from returns, and still checks all others', async () => {
      payments = await servePayments(framework, { ownReference: { from: (req) => req.headers['x-merchant'] } });
      const send = (headers: Readonly<Record<string, string>>, body: object = {}) =>
        post('/v1/transactions', body).set(headers);
      expectPass(await send({ 'X-Merchant': OWN }));
      expectMissingReference(await send({}, { refercence_cl: OWN }));
      expectForeignReference(await send({ 'X-Merchant': FOREIGN }));
      expectForeignReference(await send({ 'X-Merchant': OWN }, { refercence_cl: FOREIGN }));
      payments = await servePayments(framework, { ownReference: { from: () => [OWN] } });
      expectInvalidReference(await send({}));
      payments = await servePayments(framework, { ownReference: { from: () => Promise.resolve(OWN) } });
      expectPass(await send({}));
    });

    it('passes a value that from throws or rejects with to next(error), once', async () => {
      const throws = () => {
        throw new Error('no such tenant');
      };
      for (const from of [throws, () => Promise.reject('route'), () => Promise.reject(undefined)]) {
        payments = await servePayments(framework, { ownReference: { from } });
        await post('/v1/transactions', { refercence_cl: OWN }).expect(500);
        expect(payments.hostErrors).to.have.length(1);
        expect(payments.hostErrors[0]).to.be.instanceOf(Error);
      }
    });

    it('inherits respond from the guard', async () => {
      payments = await servePayments(framework, {
        guard: { respond: (error, _req, res) => res.status(error.status).end(error.code) },
      });
      await post('/v1/transactions', {}).expect(MISSING_REFERENCE);
    });

    it('passes a TypeError to next for a request that passed no guard', async () => {
      const app = express();
      app.get('/', auth.requireOwnReference(), (_req, res) => void res.end('passed'));
      const answerError: ErrorRequestHandler = (err, _req, res, _next) => void res.end(String(err));
      app.use(answerError);
      await request(app)
        .get('/')
        .expect(
          'TypeError: requireOwnReference: this request passed no guard. Mount requireBearer(...) before this route. A ' +
            'refused request has no caller, even if an error handler calls next().',
        );
    });

    it('throws at construction for a wrong option', () => {
      expectTypeError(
        () => auth.requireOwnReference({ form: 1 } as never),
        'requireOwnReference: unknown option "form". Known options: from.',
      );
      expectTypeError(
        () => auth.requireOwnReference({ from: 'body' } as never),
        'requireOwnReference: from must be a function.',
      );
      expectTypeError(
        () => auth.requireOwnReference({ from: undefined as never }),
        'requireOwnReference: from is undefined, which can be due to an import cycle. Leave it out for the default.',
      );
    });
  });
});
