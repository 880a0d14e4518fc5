import { expect } from 'chai';
import type { Express } from 'express';
import { onEveryExpress } from '../../helpers/on-each-express.js';
import { auditsOf, handler } from './audits.js';

onEveryExpress('auditRoutes', (framework) => {
  const { express } = framework;
  const { audit, guard, own, routerWith } = auditsOf(framework);
  const findings = (mount: (app: Express) => void) => audit(mount).findings;

  describe('names a body parser', () => {
    const parsers = () => [express.json(), express.urlencoded({ extended: false }), express.raw(), express.text()];
    const idle = (...names: string[]) => names.map((name) => `/ ${name}: gets no body`);

    it('behind a guard that has read or refused each body', () => {
      const found = audit((app) =>
        app
          .use(guard(), ...parsers())
          .get('/x', handler)
          .get('/y', handler),
      );
      expect(found.findings).to.deep.equal(idle('jsonParser', 'urlencodedParser', 'rawParser', 'textParser'));
      expect(String(found)).to.contain(
        '/ jsonParser: gets no body. A requireBearer or requireOwnReference before this parser has read or refused each ' +
          'body, so the verify of this parser never runs. Mount it before them, or remove it,',
      );
    });

    it('behind a guard on its own route, or behind requireOwnReference', () => {
      const found = audit((app) => {
        app.post('/x', guard(), express.json(), handler);
        app.use(guard('unchecked')).put('/y', own(), express.json(), handler);
      });
      expect(found.findings).to.deep.equal(['POST /x jsonParser: gets no body', 'PUT /y jsonParser: gets no body']);
    });

    it('behind a guard of some of its routes, and in front of a function behind a guard', () => {
      const app = (mount: (app: Express) => void) =>
        findings((created) => mount(created.get('/open', guard(), handler)));
      expect(app((created) => created.use('/v1', guard()).use(express.json()).post('/v1/x', handler))).to.deep.equal(
        idle('jsonParser'),
      );
      expect(app((created) => created.use('/v1', guard(), express.json(), handler))).to.deep.equal([
        '/v1 jsonParser: gets no body',
      ]);
    });

    it('for JSON behind a guard that reports, because that guard leaves other bodies unread', () => {
      expect(findings((app) => app.use(guard('reported'), ...parsers()).get('/x', handler))).to.deep.equal(
        idle('jsonParser'),
      );
    });

    it('and not one that reads a body, or that finds none without the guard either', () => {
      for (const mount of [
        (app: Express) => app.use(...parsers(), guard()).get('/x', handler),
        (app: Express) => app.use(express.json()).use(guard(), express.json()).get('/x', handler),
        (app: Express) => app.post('/x', express.json(), guard(), handler),
        (app: Express) => app.post('/x', guard('unchecked'), ...parsers(), own(), handler),
        (app: Express) =>
          app
            .use(
              '/v1',
              guard(),
              routerWith((router) => router.get('/x', handler)),
            )
            .use(express.json()),
      ]) {
        expect(findings(mount)).to.deep.equal([]);
      }
    });
  });
});
