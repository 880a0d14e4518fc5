import { expect } from 'chai';
import { whileServed } from '../../src/ask/while-served.js';
import { auditRows } from '../../src/rows/audit-rows.js';
import { FRAMEWORK } from '../../../test/helpers/on-each-express.js';
import { hostOf, mine, ONE, OTHER, ROWS, type Routes } from './hosts.js';

const LIST: Routes = { '/payments': (_, me) => mine(me) };
const app = FRAMEWORK.express();
app.get('/healthz', (_req, res) => void res.json({ status: 'up' }));
app.use(hostOf(FRAMEWORK, LIST));

async function mistakeOf(...parameters: readonly unknown[]): Promise<string> {
  try {
    await (auditRows as (...given: readonly unknown[]) => Promise<unknown>)(...parameters);
  } catch (error) {
    expect(error).to.be.instanceOf(TypeError);
    expect(String((error as Error).stack) + String((error as Error).cause)).not.to.include('token-of');
    return (error as Error).message;
  }
  return expect.fail('no error');
}

describe('auditRows says what to give', () => {
  const stranger = { name: 'stranger', headers: { Authorization: 'Bearer token-of-nobody' } };
  const TWO = 'auditRows: give two callers, each { name, headers }, with rows that the other may not see.';
  const SAME = 'auditRows: both callers have the same name or headers. Give two callers with rows of their own.';
  const APP = 'auditRows: give the Express app, as express() returned it, or the address of a running host.';
  const AWAY =
    'does not answer. Give the address of a running host, such as http://localhost:3000, or the Express app.';
  const table: Readonly<Record<string, readonly [readonly unknown[], string]>> = {
    'no callers': [[app], TWO],
    'one caller': [[app, [ONE]], TWO],
    'a caller without headers': [[app, [ONE, { name: 'other', headers: {} }]], TWO],
    'a header that HTTP does not allow': [
      [app, [ONE, { name: 'other', headers: { Authorization: 'token-of\nx' } }]],
      TWO,
    ],
    'the same caller twice': [[app, [ONE, { ...ONE, name: 'other' }]], SAME],
    'the same headers in another case': [
      [app, [ONE, { name: 'other', headers: { authorization: ONE.headers.Authorization } }]],
      SAME,
    ],
    'the same name twice': [[app, [ONE, { ...OTHER, name: 'one' }]], SAME],
    'a function': [[() => undefined, [ONE, OTHER]], APP],
    'a word': [['server.js', [ONE, OTHER]], `auditRows: server.js ${AWAY}`],
    'an app without a GET route': [
      [FRAMEWORK.express(), [ONE, OTHER]],
      'auditRows: there is no GET route. Give the app with its routes.',
    ],
    'an unknown option': [
      [app, [ONE, OTHER], { limits: 3 }],
      'auditRows: unknown option "limits". Known options: limit.',
    ],
    'a limit of 0': [[app, [ONE, OTHER], { limit: 0 }], 'auditRows: limit must be a positive integer.'],
    'a caller that is refused': [
      [app, [ONE, stranger]],
      'auditRows: the app refuses stranger everywhere (GET /payments: 401). Give headers of a caller that it accepts.',
    ],
    'an address that nobody serves': [['http://127.0.0.1:1', [ONE, OTHER]], `auditRows: http://127.0.0.1:1 ${AWAY}`],
  };
  for (const [title, [parameters, message]] of Object.entries(table))
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
