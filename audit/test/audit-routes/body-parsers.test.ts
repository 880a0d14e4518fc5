import { expect } from 'chai';
import { onEveryExpress } from '../../../test/helpers/on-each-express.js';
import { auditsOf, handler, type Mount } from './audits.js';

onEveryExpress('auditRoutes', (framework) => {
  const { express } = framework;
  const { audit, expectFindings, guard, own } = auditsOf(framework);
  const { json } = express;
  const parsers = () => [json(), express.urlencoded({ extended: false }), express.raw(), express.text()];

  it('names each body parser behind a guard that has read or refused each body', () => {
    const found = audit((app) => app.use(guard(), parsers()).get('/x', handler).get('/y', handler));
    const names = ['jsonParser', 'urlencodedParser', 'rawParser', 'textParser'];
    expect(found.findings).to.deep.equal(names.map((name) => `/ ${name}: gets no body`));
    expect(String(found)).to.contain(
      '/ jsonParser: gets no body. A requireBearer or requireOwnReference before this parser has read or refused each ' +
        'body, so the verify of this parser never runs. Mount it before them, or remove it,',
    );
  });

  const behind: Readonly<Record<string, readonly [string, Mount]>> = {
    'a guard on its own route': ['POST /x', (app) => app.post('/x', guard(), json(), handler)],
    requireOwnReference: ['PUT /y', (app) => app.use(guard('unchecked')).put('/y', own(), json(), handler)],
    'a guard of some of its routes': [
      '/',
      (app) => app.get('/open', handler).use('/v1', guard()).use(json()).post('/v1/x', handler),
    ],
    'a guard, in front of a function': ['/v1', (app) => app.use('/v1', guard(), json(), handler)],
    'a guard that reports, which leaves other bodies unread': [
      '/',
      (app) => app.use(guard('reported'), parsers()).get('/x', handler),
    ],
  };
  for (const [title, [where, mount]] of Object.entries(behind)) {
    it(`names a parser of JSON behind ${title}`, () => {
      const found = audit((app) => mount(app.get('/guarded', guard(), handler)));
      expect(found.findings.filter((text) => !text.endsWith('no guard'))).to.deep.equal([
        `${where} jsonParser: gets no body`,
      ]);
    });
  }

  it('does not name one that reads a body, or that finds none without the guard either', () => {
    const router = express.Router().get('/x', handler);
    for (const mount of [
      (app) => app.use(parsers(), guard()).get('/x', handler),
      (app) => app.use(json()).use(guard(), json()).get('/x', handler),
      (app) => app.post('/x', json(), guard(), handler),
      (app) => app.post('/x', guard('unchecked'), parsers(), own(), handler),
      (app) => app.use('/v1', guard(), router).use(json()),
    ] satisfies Mount[]) {
      expectFindings(mount);
    }
  });
});
