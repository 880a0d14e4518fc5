import type { Answer } from '../helpers/http.js';
import { logIn } from '../helpers/login-host.js';
import type { Framework } from '../helpers/on-each-express.js';
import {
  LOGIN,
  MERCHANTS,
  postLogin,
  type Refusal,
  refusalsIn,
  serveRefusingHost,
  TRANSACTIONS,
  transact,
} from '../helpers/refusals.js';
import type { Payments } from '../helpers/payments.js';
import type { RecordedAnswer } from './snapshot.js';

type Send = Refusal[1];

const JSON_TYPE = { 'Content-Type': 'application/json' };
const CHARSET = { 'Content-Type': 'application/json; charset=x-unknown' };
const ENCODING = { ...JSON_TYPE, 'Content-Encoding': 'x-unknown' };

const postRaw =
  (body: string | Uint8Array, headers: object): Send =>
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

/** More refusals, whose text or status differs. */
const VARIANTS: readonly Refusal[] = [
  [LOGIN, post({ email: 'a'.repeat(20_000) }), 'too large'],
  [LOGIN, postRaw('{"email":', JSON_TYPE), 'not JSON'],
  [LOGIN, post([]), 'not an object'],
  [LOGIN, postRaw(Buffer.from('{"email":"\xe9"}', 'latin1'), JSON_TYPE), 'not UTF-8'],
  [LOGIN, postRaw('{}', CHARSET), 'unknown charset'],
  [LOGIN, postRaw('{}', ENCODING), 'unknown encoding'],
  [LOGIN, post({}), 'nothing required'],
  [LOGIN, post({ email: 1, password: null }), 'wrong types'],
  [LOGIN, post({ email: 'a@b', password: '12345' }), 'too short'],
  [LOGIN, post({ email: '@'.repeat(256), password: 'a'.repeat(256) }), 'too long'],
  [LOGIN, post({ email: 'a@b\0c', password: '\ud800aaaaa' }), 'wrong formats'],
  [TRANSACTIONS, (host) => transact(host, { amount: 'a'.repeat(110_000) }), 'too large'],
  [TRANSACTIONS, (host) => transact(host, '{"amount":5}', CHARSET), 'unknown charset'],
  [TRANSACTIONS, (host) => transact(host, '{"amount":5}', ENCODING), 'unknown encoding'],
  [TRANSACTIONS, (host) => transact(host, { reference_cl: 'BTQ-1001' }), 'reference_cl sent'],
  [MERCHANTS, get('/v1/merchants/BTQ-1001?refercence_cl[]=BTQ-1001'), 'in the query'],
  [MERCHANTS, get('/v1/merchants/CNT-1002'), 'in the path'],
  [MERCHANTS, get('/v1/merchants/BTQ-1001?refercence_cl=CNT-1002'), 'in the query'],
];

/** Refusals of the host's own parser, which `authErrorHandler` answers. */
const PARSED: readonly Refusal[] = [
  [TRANSACTIONS, (host) => transact(host, { amount: 123_456 }), "the host's parser: too large"],
  [TRANSACTIONS, (host) => transact(host, '{"a', JSON_TYPE), "the host's parser: not JSON"],
  [TRANSACTIONS, (host) => transact(host, '{}', CHARSET), "the host's parser: unknown charset"],
];

/**
 * Provokes every answer of the package over HTTP.
 * @returns the answers by the name of the error, the operation and, if needed, a note
 */
export async function recordAnswers(framework: Framework): Promise<Readonly<Record<string, RecordedAnswer>>> {
  const recorded = new Map<string, RecordedAnswer>();
  const record = async (host: Payments, [{ method, path }, send, note = '']: Refusal) => {
    const answer = recordedAnswer(await send(host));
    const key = `${String(answer.body['error'] ?? 'success')} ${method} ${path}${note && `, ${note}`}`;
    if (recorded.has(key)) throw new Error(`There are two answers "${key}".`);
    recorded.set(key, answer);
  };

  await record(await serveRefusingHost(framework), [LOGIN, ({ client }) => logIn(client)]);
  for (const refusal of [...refusalsIn(framework), ...VARIANTS]) {
    await record(await serveRefusingHost(framework), refusal);
  }
  const before = [framework.express.json({ limit: 10 })];
  for (const refusal of PARSED) {
    await record(await serveRefusingHost(framework, 'merchant', { before }), refusal);
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
