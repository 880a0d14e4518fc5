import { expect } from 'chai';
import { onEveryExpress } from '../../helpers/on-each-express.js';
import { auditsOf, handler } from './audits.js';

onEveryExpress('auditRoutes', (framework) => {
  const { auth } = framework;
  const { audit, guard, own, userStore } = auditsOf(framework);

  it('prints a table', () => {
    const found = audit((app) => {
      app.use('/v1', auth.createLoginRouter(userStore), guard());
      app.post('/v1/orders', own(), handler);
    });
    const table = [
      'METHOD  PATH        GUARD   ACCOUNT  REFERENCE',
      'POST    /v1/login   login   yes      unchecked',
      'POST    /v1/orders  bearer  yes      demanded',
    ].join('\n');
    expect(String(found)).to.equal(table);
  });
});
