import { expect } from 'chai';
import type { Express } from 'express';
import { auditRoutes } from '../../src/index.js';
import { onEveryExpress } from '../../../test/helpers/on-each-express.js';
import { expectTypeError } from '../../../test/helpers/thrown.js';
import { settle } from '../../../test/helpers/until.js';
import { auditsOf, handler, linesOf, middleware } from './audits.js';

onEveryExpress('auditRoutes', (framework) => {
  const { express, auth } = framework;
  const { audit, guard, own, userStore } = auditsOf(framework);

  it('finds nothing on the shortest host of README.md, and prints its table', () => {
    const found = audit((app) => {
      app.use('/v1', auth.createLoginRouter(userStore), guard());
      app.post('/v1/transactions', own(), handler);
      app.use(auth.authErrorHandler());
    });
    expect(found.routes).to.deep.equal([
      { method: 'POST', path: '/v1/login', guard: 'login', account: true, reference: 'unchecked' },
      { method: 'POST', path: '/v1/transactions', guard: 'bearer', account: true, reference: 'demanded' },
    ]);
    expect([found.blind, found.findings]).to.deep.equal([[], []]);
    const table = [
      'METHOD  PATH              GUARD   ACCOUNT  REFERENCE',
      'POST    /v1/login         login   yes      unchecked',
      'POST    /v1/transactions  bearer  yes      demanded',
    ];
    expect(String(found)).to.equal(table.join('\n'));
  });

  it('finds nothing on an ordinary app, with parsers, static files, a 404 handler and error handlers', () => {
    const found = audit((app) => {
      app.set('trust proxy', 1);
      app.use(express.json(), express.urlencoded({ extended: false }), express.static(__dirname), middleware);
      app.param('id', (_req, _res, next) => next());
      app.use('/v1', auth.createLoginRouter(userStore), guard(), middleware);
      app.get('/v1/orders/:id', handler);
      app.use((_req, res) => void res.status(404).json('none'));
      app.use('/v1', (_error: unknown, _req: unknown, res: { end(): void }, _next: unknown) => res.end());
      app.use(auth.authErrorHandler());
    });
    expect(linesOf(found)).to.deep.equal(['POST /v1/login login account unchecked', 'GET /v1/orders/:id guarded']);
    expect(found.findings).to.deep.equal([]);
    expect(String(found)).to.contain(
      '\nTaken for middleware, because it has no path: jsonParser, urlencodedParser, serveStatic, middleware, <anonymous>.',
    );
  });

  it('runs no code of the host', async () => {
    let ran = 0;
    const run = () => void (ran += 1);
    const inner = express().use(run).get('/', run);
    const app = express().use('/v1', inner).use(run);
    expect(linesOf(auditRoutes(app, { apps: [inner] }))).to.deep.equal(['GET /v1 open']);
    await settle();
    expect(ran).to.equal(0);
  });

  it('refuses a value that is not an Express app', () => {
    for (const value of [undefined, null, {}, handler, '/v1', { stack: [] }]) {
      expectTypeError(
        () => auditRoutes(value as Express),
        'auditRoutes: give the Express app, as express() returned it.',
      );
    }
  });
});
