import type { Express } from 'express';
import { onEveryExpress } from '../../helpers/on-each-express.js';
import { expectTypeError } from '../../helpers/thrown.js';
import { handler } from './audits.js';

onEveryExpress('auditRoutes', (framework) => {
  const { testing } = framework;

  it('refuses a value that is not an Express app', () => {
    for (const value of [undefined, null, {}, handler, '/v1', { stack: [] }]) {
      expectTypeError(
        () => testing.auditRoutes(value as Express),
        'auditRoutes: give the Express app, as express() returned it.',
      );
    }
  });
});
