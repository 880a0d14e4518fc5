import type { AuthErrorCode } from '../../src/index.js';
import type { Answer } from '../helpers/http.js';
import { logIn } from '../helpers/login-host.js';
import type { Framework } from '../helpers/on-each-express.js';
import {
  LOGIN,
  MERCHANTS,
  type Operation,
  postLogin,
  refusalsByCode,
  serveRefusingHost,
  TRANSACTIONS,
  transact,
} from '../helpers/refusals.js';
import type { Payments } from '../helpers/payments.js';
import type { RecordedAnswer } from './snapshot.js';

/** Provokes one more refusal of an operation, whose text or status differs from the first. */
type Variant = readonly [code: AuthErrorCode, operation: Operation, note: string, send: Send];
type Send = (host: Payments) => Promise<Answer>;

const JSON_TYPE = { 'Content-Type': 'application/json' };
const CHARSET = { 'Content-Type': 'application/json; charset=x-unknown' };
const ENCODING = { ...JSON_TYPE, 'Content-Encoding': 'x-unknown' };

const postRaw =
  (body: string, headers: object): Send =>
  ({ client }) =>
    client.send('POST', '/v1/login', { headers: { ...headers }, body });
const post =
  (body: unknown): Send =>
  ({ client }) =>
    postLogin(client, body);
const get =
  (path: string): Send =>
  ({ client, awa }) =>
    client.send('GET', path, { headers: awa });

const VARIANTS: readonly Variant[] = [
  ['invalid_body', LOGIN, 'too large', post({ email: 'a'.repeat(20_000) })],
  ['invalid_body', LOGIN, 'not JSON', postRaw('{"email":', JSON_TYPE)],
  ['invalid_body', LOGIN, 'not an object', post([])],
  ['invalid_body', LOGIN, 'unknown charset', postRaw('{}', CHARSET)],
  ['invalid_body', LOGIN, 'unknown encoding', postRaw('{}', ENCODING)],
  ['invalid_body', LOGIN, 'nothing required', post({})],
  ['invalid_body', LOGIN, 'wrong types', post({ email: 1, password: null })],
  ['invalid_body', LOGIN, 'too short', post({ email: 'a@b', password: '12345' })],
  ['invalid_body', LOGIN, 'too long', post({ email: '@'.repeat(256), password: 'a'.repeat(256) })],
  ['invalid_body', LOGIN, 'wrong formats', post({ email: 'a@b\0c', password: '\ud800aaaaa' })],
  ['invalid_body', TRANSACTIONS, 'too large', (host) => transact(host, { amount: 'a'.repeat(110_000) })],
  ['invalid_body', TRANSACTIONS, 'unknown charset', (host) => transact(host, '{"amount":5}', CHARSET)],
  ['invalid_body', TRANSACTIONS, 'unknown encoding', (host) => transact(host, '{"amount":5}', ENCODING)],
  ['missing_reference', TRANSACTIONS, 'reference_cl sent', (host) => transact(host, { reference_cl: 'BTQ-1001' })],
  ['invalid_reference', MERCHANTS, 'in the query', get('/v1/merchants/BTQ-1001?refercence_cl[]=BTQ-1001')],
  ['foreign_reference', MERCHANTS, 'in the path', get('/v1/merchants/CNT-1002')],
  ['foreign_reference', MERCHANTS, 'in the query', get('/v1/merchants/BTQ-1001?refercence_cl=CNT-1002')],
];

/** Refusals of the host's own parser, which `authErrorHandler` answers. */
const PARSED: readonly Variant[] = [
  ['invalid_body', TRANSACTIONS, "the host's parser: too large", (host) => transact(host, { amount: 123_456 })],
  ['invalid_body', TRANSACTIONS, "the host's parser: not JSON", (host) => transact(host, '{"a', JSON_TYPE)],
  ['unreadable_body', TRANSACTIONS, "the host's parser: unknown charset", (host) => transact(host, '{}', CHARSET)],
];

/**
 * Provokes every answer of the package over HTTP.
 * @returns the answers by the name of the error, the operation and, if needed, a note
 */
export async function recordAnswers(framework: Framework): Promise<Readonly<Record<string, RecordedAnswer>>> {
  const recorded = new Map<string, RecordedAnswer>();
  const record = async (name: string, { method, path }: Operation, note: string, send: Send, host: Payments) => {
    const key = `${name} ${method} ${path}${note && `, ${note}`}`;
    if (recorded.has(key)) throw new Error(`There are two answers "${key}".`);
    recorded.set(key, recordedAnswer(await send(host)));
  };

  await record('success', LOGIN, '', ({ client }) => logIn(client), await serveRefusingHost(framework));
  for (const [code, refusals] of Object.entries(refusalsByCode(framework))) {
    for (const [operation, send, note = ''] of refusals) {
      await record(code, operation, note, send, await serveRefusingHost(framework));
    }
  }
  for (const [code, operation, note, send] of VARIANTS) {
    await record(code, operation, note, send, await serveRefusingHost(framework));
  }
  const before = [framework.express.json({ limit: 10 })];
  for (const [code, operation, note, send] of PARSED) {
    await record(code, operation, note, send, await serveRefusingHost(framework, 'merchant', { before }));
  }
  return Object.fromEntries(recorded);
}

/** Node.js and Express set these headers, even in answers of the host. */
const OTHER_HEADERS = ['connection', 'content-length', 'date', 'etag', 'x-powered-by'];

/** Returns an answer without the values that vary: the token and the seconds. */
function recordedAnswer({ status, headers, text }: Answer): RecordedAnswer {
  const own = Object.entries(headers).filter(([name]) => !OTHER_HEADERS.includes(name));
  const fixed = text.replace(/eyJ[\w-]+\.[\w-]+\.[\w-]+/, '<token>').replace(/ \d+ seconds/, ' <N> seconds');
  const body = JSON.parse(fixed) as RecordedAnswer['body'];
  if (JSON.stringify(body) !== fixed) throw new Error(`The file cannot hold this body exactly: ${fixed}`);
  return {
    status,
    headers: Object.fromEntries(own.sort().map(([name, value]) => [name, fixedHeader(name, String(value))])),
    body,
  };
}

function fixedHeader(name: string, value: string): string {
  return name === 'retry-after' ? value.replace(/^\d+$/, '<N>') : value;
}
