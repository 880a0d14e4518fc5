import { expect } from 'chai';
import { onEveryExpress } from '../../helpers/on-each-express.js';
import { settle } from '../../helpers/until.js';
import { linesOf } from './audits.js';

onEveryExpress('auditRoutes', (framework) => {
  const { express, testing } = framework;

  it('runs no code of a mounted app', async () => {
    const ran: string[] = [];
    const inner = express();
    inner.use((_req, _res, next) => {
      ran.push('middleware');
      next();
    });
    inner.get('/', () => void ran.push('route'));
    inner.use((_error: unknown, _req: unknown, _res: unknown, next: () => void) => {
      ran.push('error handler');
      next();
    });
    const app = express().use('/v1', inner);
    const fn = { handle: () => ran.push('function') };
    app.use(function mount(req, res, next) {
      // prettier-ignore
      (fn.handle as (...parameters: unknown[]) => void)(req, res, next); // fn.handle(req, res, function
    });
    expect(linesOf(testing.auditRoutes(app))).to.deep.equal(['GET /v1 none token unchecked']);
    await settle();
    expect(ran).to.deep.equal([]);
  });
});
