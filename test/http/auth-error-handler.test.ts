import { mock } from 'node:test';
import { expect } from 'chai';
import type { Application, ErrorRequestHandler, RequestHandler } from 'express';
import request from 'supertest';
import type { AuthError, AuthErrorHandlerOptions } from '../../src/index.js';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import {
  ACCOUNT_DISABLED,
  expectError,
  expectMissingToken,
  expectStoreUnavailable,
  FOREIGN_REFERENCE,
  INVALID_BODY,
  INVALID_URL,
  MALFORMED_ACCOUNT,
  REVOKED_TOKEN,
  STORE_UNAVAILABLE,
  TOO_BUSY,
  UNREADABLE_BODY,
} from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { expectTypeError } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

onEachExpress('authErrorHandler', (framework) => {
  const { auth, express } = framework;

  /** An app with `middleware` before the handler. An error that the handler passes on gets 599 and its message. */
  function host(...middleware: RequestHandler[]): Application {
    return hostWith({ log: () => undefined }, ...middleware);
  }
  function hostWith(options: AuthErrorHandlerOptions | undefined, ...middleware: RequestHandler[]): Application {
    const app = express();
    for (const handler of middleware) app.use(handler);
    app.use(auth.authErrorHandler(options));
    const last: ErrorRequestHandler = (err: Error, _req, res, _next) => void res.status(599).end(err.message);
    app.use(last);
    return app;
  }
  const throwing =
    (error: unknown): RequestHandler =>
    (_req, _res, next) =>
      next(error);
  const post = (app: Application, body: string) => request(app).post('/').type('json').send(body);

  it('renders each error with its own description, status and toJSON', async () => {
    class Subclass extends auth.AuthError {
      override toJSON() {
        return { ...super.toJSON(), message: 'Closed' };
      }
    }
    const errors = [{ field: 'till', rule: 'required', message: 'till is required.' }] as const;
    for (const error of [
      new auth.AuthError(REVOKED_TOKEN, { description: 'Your till was moved.', status: 403 }),
      new auth.AuthError(ACCOUNT_DISABLED, { errors }),
      new Subclass(ACCOUNT_DISABLED),
    ]) {
      await request(host(throwing(error)))
        .get('/')
        .expect(error.status, JSON.stringify(error));
    }
  });

  it('renders the failures of a parser of the host, with the status that the parser set', async () => {
    const app = host(express.json({ limit: 100 }), express.urlencoded({ extended: false, parameterLimit: 2 }));
    const invalid = { error: INVALID_BODY, message: 'Body not valid' };
    const unreadable = { error: UNREADABLE_BODY, message: 'Body cannot be read' };
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const latin = { 'Content-Type': 'application/json; charset=iso-8859-1' };
    const encoded = (encoding: string) => ({ ...JSON_TYPE, 'Content-Encoding': encoding });
    for (const [body, headers, code, members, description] of [
      ['{"a":', JSON_TYPE, 400, invalid, 'The body is not a valid JSON object or array.'],
      [
        'not gzip',
        encoded('gzip'),
        400,
        invalid,
        'The body does not match the header Content-Encoding. Send the body uncompressed without this header, or as gzip.',
      ],
      [JSON.stringify('x'.repeat(100)), JSON_TYPE, 413, invalid, 'The body is larger than 100 bytes. Send less.'],
      ['a=1&b=2&c=3', form, 413, invalid, 'The body could not be read.'],
      ['{}', latin, 415, unreadable, 'The charset of the body is not supported. Send UTF-8.'],
      [
        '{}',
        encoded('rot13'),
        415,
        unreadable,
        'The header Content-Encoding is not supported. Send the body uncompressed without this header, or as gzip.',
      ],
    ] as const) {
      expectError(await post(app, body).set(headers), { code, ...members, description });
    }
  });

  it('passes on every other error, including one that a verify of the host threw', async () => {
    const verify = () => {
      throw Object.assign(new Error('of the host'), { code: 'Z_DATA_ERROR', status: 400 });
    };
    for (const middleware of [
      throwing(new Error('of the host')),
      throwing(new URIError('of the host')),
      express.json({ verify }),
    ]) {
      await post(host(middleware), '{}').expect(599, 'of the host');
    }
  });

  it('does not touch an answer that has begun, and passes the error on as it is', async () => {
    const error = new auth.AuthError(FOREIGN_REFERENCE);
    const passedOn: unknown[] = [];
    const app = express();
    app.get('/', (_req, res, next) => {
      res.write('begun');
      next(error);
    });
    app.use(auth.authErrorHandler());
    app.use((err: unknown, _req: unknown, res: { end(): void }, _next: unknown) => {
      passedOn.push(err);
      res.end();
    });
    await request(app).get('/').expect('begun');
    expect(passedOn).to.deep.equal([error]);
  });

  describe('for a path that cannot be decoded', () => {
    const expected = {
      code: 400,
      error: INVALID_URL,
      message: 'URL not valid',
      description: 'The path of the URL cannot be decoded. Percent-encode it as UTF-8, and write a % as %25.',
    };

    it('renders the 400 of Express, whose error is the cause', async () => {
      const errors: AuthError[] = [];
      const app = express();
      app.get('/m/:id', (req, res) => void res.end(req.params.id));
      const respond: AuthErrorHandlerOptions['respond'] = (error, _req, _res, next) => {
        errors.push(error);
        next(error);
      };
      app.use(auth.authErrorHandler({ respond }));
      app.use(auth.authErrorHandler());
      // A % alone, one before one digit or two letters, and bytes that are not UTF-8.
      for (const path of ['/m/%', '/m/%2', '/m/%zz', '/m/%ff', '/m/%c3%28?page=1', '/m/%ed%a0%80']) {
        expectError(await request(app).get(path), expected);
        expect(errors.pop()?.cause).to.be.instanceOf(URIError);
      }
      await request(app).get('/m/%c3%a9%25').expect('é%');
    });

    it('renders it only after the guard', async () => {
      const { app, awa } = await servePayments(framework);
      expectMissingToken(await request(app).get('/v1/merchants/%ff'));
      expectError(await request(app).get('/v1/merchants/%ff').set(awa), expected);
    });
  });

  describe('respond', () => {
    const parse = express.json();

    it('writes every answer of the handler', async () => {
      const respond: AuthErrorHandlerOptions['respond'] = (error, req, res) => {
        res.status(error.status).json({ path: req.path, error: error.code });
      };
      const app = (middleware: RequestHandler) => hostWith({ respond, log: () => undefined }, middleware);
      for (const [middleware, status, error] of [
        [throwing(new auth.AuthError(FOREIGN_REFERENCE)), 403, FOREIGN_REFERENCE],
        [throwing(new auth.AuthError(STORE_UNAVAILABLE)), 503, STORE_UNAVAILABLE],
        [parse, 400, INVALID_BODY],
      ] as const) {
        await post(app(middleware), '{').expect(status, { path: '/', error });
      }
    });
  });

  describe('log', () => {
    afterEach('restore the console', () => {
      mock.restoreAll();
    });

    it('gets each error that the host must fix, with its cause and the request, and no other error', async () => {
      const logged: unknown[] = [];
      const log: AuthErrorHandlerOptions['log'] = (error, req) => logged.push([error, error.cause, req.path]);
      const cause = new Error('connection refused');
      const ofHost = [STORE_UNAVAILABLE, MALFORMED_ACCOUNT] as const;
      const errors = ofHost.map((code) => new auth.AuthError(code, { cause }));
      const others = [new auth.AuthError(FOREIGN_REFERENCE), new auth.AuthError(TOO_BUSY), new Error('of the host')];
      for (const middleware of [...[...errors, ...others].map(throwing), express.json()]) {
        await post(hostWith({ log }, middleware), '{');
      }
      expect(logged).to.deep.equal(errors.map((error) => [error, cause, '/']));
    });

    it('that throws or rejects does not change the answer', async () => {
      const failure = new Error('the disk is full');
      const throwsIt = () => {
        throw failure;
      };
      for (const log of [throwsIt, () => Promise.reject(failure)]) {
        const app = hostWith({ log }, throwing(new auth.AuthError(STORE_UNAVAILABLE)));
        expectStoreUnavailable(await request(app).get('/'));
      }
    });

    it('is by default one line on stderr', async () => {
      freezeTime();
      // Node.js prints on stderr that mock timers are experimental.
      await settle();
      const lines: unknown[][] = [];
      mock.method(console, 'error', (...line: unknown[]) => lines.push(line));
      const error = new auth.AuthError(STORE_UNAVAILABLE, { detail: 'UserStore.findById failed.' });
      const app = hostWith(undefined, throwing(error));
      for (let times = 0; times < 3; times++) expectStoreUnavailable(await request(app).get('/'));
      // Timers that suites before this one started write their counts now. Our own timer is frozen.
      const own = lines.filter(([line]) => !String(line).endsWith('more within 1 s'));
      expect(own).to.deep.equal([[`express-merchant-auth ${STORE_UNAVAILABLE}: UserStore.findById failed.`]]);
    });
  });

  describe('after a login whose caller has disconnected', () => {
    it('answers nothing, logs nothing and calls no other handler', async () => {
      const { passwords } = quickPasswords(auth.createPasswords);
      const login = auth.createLogin(quickAccountStore(), { passwords });
      const rejections: unknown[] = [];
      const after: unknown[] = [];
      const app = express();
      app.use((req, res, next) => {
        res.once('finish', () => after.push('answered'));
        req.socket.once('close', () => {
          login.attempt(req, { identifier: AWA.email, password: PASSWORD }).catch((rejection: unknown) => {
            rejections.push(rejection);
            next(rejection);
          });
        });
        req.socket.destroy();
      });
      app.use(auth.authErrorHandler({ log: () => after.push('logged') }));
      app.use((err: unknown, _req: unknown, _res: unknown, _next: unknown) => void after.push(err));
      await request(app)
        .get('/')
        .catch(() => undefined);
      await until(() => rejections.length === 1);
      await settle();
      expect(rejections[0]).to.be.instanceOf(Error).and.include({ name: 'AbortError' });
      expect(after).to.deep.equal([]);
    });
  });

  it('throws for a wrong option', () => {
    expectTypeError(
      () => auth.authErrorHandler({ logger: console } as never),
      'authErrorHandler: unknown option "logger". Known options: respond, log.',
    );
    for (const name of ['respond', 'log']) {
      expectTypeError(() => auth.authErrorHandler({ [name]: {} }), `authErrorHandler: ${name} must be a function.`);
    }
  });
});
