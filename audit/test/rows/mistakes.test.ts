import { expect } from 'chai';
import { whileServed } from '../../src/ask/while-served.js';
import { auditRows } from '../../src/rows/audit-rows.js';
import { FRAMEWORK } from '../../../test/helpers/on-each-express.js';
import { rejectionOf } from '../../../test/helpers/thrown.js';
import { hostOf, mine, ONE, OTHER, ROWS, type Routes } from './hosts.js';

const LIST: Routes = { '/payments': (_, me) => mine(me) };
const app = FRAMEWORK.express();
app.get('/healthz', (_req, res) => void res.json({ status: 'up' }));
app.use(hostOf(FRAMEWORK, LIST));

async function mistakeOf(...parameters: readonly unknown[]): Promise<string> {
  const error = (await rejectionOf(auditRows(...(parameters as Parameters<typeof auditRows>)))) as Error;
  expect(error).to.be.instanceOf(TypeError);
  expect(String(error.stack) + String(error.cause)).not.to.include('token-of');
  return error.message;
}

describe('auditRows says what to give', () => {
  const callers = (headers: object, name = 'other') => [ONE, { name, headers }];
  const TWO = 'auditRows: give two callers, each { name, headers }, with rows that the other may not see.';
  const SAME = 'auditRows: both callers have the same name or headers. Give two callers with rows of their own.';
  const APP = 'auditRows: give the Express app, as express() returned it, or the address of a running host.';
  const ROUTES = 'auditRows: there is no GET route. Give the app with its routes.';
  const ACCEPTED =
    'auditRows: the app refuses stranger everywhere (GET /payments: 401). Give headers of a caller that it accepts.';
  const AWAY =
    'does not answer. Give the address of a running host, such as http://localhost:3000, or the Express app.';
  const table: Readonly<Record<string, readonly [message: string, ...unknown[]]>> = {
    'no callers': [TWO, app],
    'one caller': [TWO, app, [ONE]],
    'a caller without headers': [TWO, app, callers({})],
    'a header that HTTP does not allow': [TWO, app, callers({ Authorization: 'token-of\nx' })],
    'the same caller twice': [SAME, app, callers(ONE.headers)],
    'the same headers in another case': [SAME, app, callers({ authorization: ONE.headers.Authorization })],
    'the same name twice': [SAME, app, callers(OTHER.headers, 'one')],
    'a function': [APP, () => undefined, [ONE, OTHER]],
    'a word': [`auditRows: server.js ${AWAY}`, 'server.js', [ONE, OTHER]],
    'an app without a GET route': [ROUTES, FRAMEWORK.express(), [ONE, OTHER]],
    'an unknown option': [
      'auditRows: unknown option "limits". Known options: limit.',
      app,
      [ONE, OTHER],
      { limits: 3 },
    ],
    'a limit of 0': ['auditRows: limit must be a positive integer.', app, [ONE, OTHER], { limit: 0 }],
    'a caller that is refused': [ACCEPTED, app, callers({ Authorization: 'Bearer token-of-nobody' }, 'stranger')],
    'an address that nobody serves': [`auditRows: http://127.0.0.1:1 ${AWAY}`, 'http://127.0.0.1:1', [ONE, OTHER]],
  };
  for (const [title, [message, ...parameters]] of Object.entries(table))
    it(`for ${title}`, async () => expect(await mistakeOf(...parameters)).to.equal(message));

  it('for an address without an OpenAPI document', () =>
    whileServed(app, async (url) => {
      const message = `auditRows: ${url}/v1/openapi.json is not an OpenAPI document (404), which names the routes. Give the Express app.`;
      expect(await mistakeOf(`${url}/v1/`, [ONE, OTHER])).to.equal(message);
    }));
});

describe('auditRows with an address', () => {
  it('asks the GET routes of the OpenAPI document, below its server', async () => {
    const host = hostOf(FRAMEWORK, {
      '/openapi.json': () => ({
        servers: [{ url: 'https://api.example.com/v1/' }],
        paths: { '/payments': { get: {}, post: {} }, '/payments/{id}': { get: {} }, '/refunds': { post: {} } },
      }),
      '/v1/payments': (_, me) => mine(me),
      '/v1/payments/:id': ({ params }) => ROWS.find(({ id }) => id === params['id']),
    });
    await whileServed(host, async (url) => {
      const { findings } = await auditRows(url, [ONE, OTHER]);
      expect(findings).to.deep.equal([
        `GET /v1/payments/:id: showed other a row of one (GET /v1/payments/${ROWS[0]?.id})`,
      ]);
    });
  });
});
