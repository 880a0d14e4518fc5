import { expect } from 'chai';
import { auditRoutes } from '../../src/index.js';
import { onEachExpress } from '../../../test/helpers/on-each-express.js';
import { auditsOf, handler, middleware } from './audits.js';

onEachExpress('auditRoutes, of an app with a sub-app and a function without a path', (framework) => {
  it('takes the function for middleware', () => {
    const { guard } = auditsOf(framework);
    const inner = framework.express().use(guard()).get('/x', handler);
    const outer = framework.express().use(middleware);
    outer.use(inner);
    const audit = auditRoutes(outer, { apps: [inner] });
    expect(audit.findings).to.deep.equal([]);
    expect(String(audit)).to.contain('Taken for middleware, because it has no path: middleware');
  });
});
