import type { RequestHandler } from 'express';
import type { Respond, UserStore } from '../../src/index.js';
import { AWA, FERMEE } from './accounts.js';
import { type Answer, bearer, type Client } from './http.js';
import { logIn } from './login-host.js';
import type { FRAMEWORK } from './on-each-express.js';
import { type Payments, servePayments } from './payments.js';
import { QUICK_HASH, quickPasswords } from './quick-passwords.js';
import { until } from './until.js';

/** An operation, with its path as an OpenAPI document writes it. */
export interface Operation {
  readonly method: string;
  readonly path: string;
}

export const LOGIN: Operation = { method: 'POST', path: '/v1/login' };
export const GUARDED: Operation = { method: 'GET', path: '/v1/guarded' };
const TRANSACTIONS: Operation = { method: 'POST', path: '/v1/transactions' };
const MERCHANTS: Operation = { method: 'GET', path: '/v1/merchants/{refercence_cl}' };

type Refusal = readonly [operation: Operation, send: (host: Payments) => Promise<Answer>];

/** Serves a host that can give every refusal. One wrong password reaches the limit of its throttle. */
export async function serveRefusingHost(
  framework: typeof FRAMEWORK,
  realm = 'merchant',
  { before = [], respond }: { readonly before?: readonly RequestHandler[]; readonly respond?: Respond } = {},
): Promise<Payments> {
  const { auth } = framework;
  const responding = respond && { respond };
  const tokens = auth.createTokens({ realm });
  const payments = await servePayments(framework, {
    login: {
      ...responding,
      tokens,
      passwords: quickPasswords(auth.createPasswords).passwords,
      throttle: auth.createLoginThrottle({ emailAndSource: { failures: 1, seconds: 900 } }),
      // One login waits at once.
      maxPendingLogins: 1,
    },
    guard: { ...responding, tokens },
    before: [haveAddress, loseBody, ...before],
  });
  for (const account of [AWA, FERMEE]) payments.store.put({ ...account, passwordHash: QUICK_HASH });
  return { ...payments, awa: bearer(tokens.issue(AWA)) };
}

/** Gives each caller a public address, because a refusal names no private one. */
const haveAddress: RequestHandler = (req, _res, next) => {
  Object.defineProperty(req, 'ip', { value: '203.0.113.66' });
  next();
};

/** Announces a body that does not come, as a serverless adapter that loses it. */
const loseBody: RequestHandler = (req, _res, next) => {
  const length = req.get('X-Lost');
  if (length === undefined) next();
  else {
    req.headers['content-length'] = length;
    setImmediate(next);
  }
};

export function postLogin(client: Client, body: unknown): Promise<Answer> {
  return client.send('POST', '/v1/login', { body });
}

export function readGuarded(client: Client, headers = {}): Promise<Answer> {
  return client.send('GET', '/v1/guarded', { headers });
}

/** Posts a transaction of Awa's. */
export function transact({ client, awa }: Payments, body: unknown, headers: object = {}): Promise<Answer> {
  return client.send('POST', '/v1/transactions', { headers: { ...awa, ...headers }, body });
}

const TEXT = { 'Content-Type': 'text/plain' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const LOST = { 'Content-Type': 'application/json', 'X-Lost': '28' };
const MALFORMED = { ...AWA, id: 1 as never };

/** Returns a way to each code at each operation that answers with it. open-api.answers.test.ts demands each code. */
export function refusalsIn({ auth }: typeof FRAMEWORK): readonly Refusal[] {
  const old = auth.createTokens({ clock: () => Date.now() - 18_000_000 });
  const refuse = () => Promise.reject(new Error('connection refused'));
  return [
    [LOGIN, ({ client }) => postLogin(client, { email: 'merchant.shop.example' })],
    [LOGIN, ({ client }) => client.send('POST', '/v1/login', { headers: TEXT })],
    [TRANSACTIONS, (host) => transact(host, '{"refercence_cl":', { 'Content-Type': 'application/json' })],
    [LOGIN, ({ client }) => logIn(client, AWA.email, 'papaye-2026')],
    [LOGIN, ({ client }) => logIn(client, FERMEE.email)],
    [
      LOGIN,
      async ({ client }) => {
        await logIn(client, AWA.email, 'papaye-2026');
        return logIn(client);
      },
    ],
    [LOGIN, logInWhileBusy],
    [{ ...LOGIN, method: 'GET' }, ({ client }) => client.send('GET', '/v1/login')],
    [MERCHANTS, ({ client, awa }) => client.send('GET', '/v1/merchants/%ff', { headers: awa })],
    [
      LOGIN,
      ({ client, store }) => {
        store.put({ ...AWA, passwordHash: QUICK_HASH, allowedSources: ['203.0.113.7'] });
        return logIn(client);
      },
    ],
    [
      GUARDED,
      ({ client, store, awa }) => {
        store.put({ ...AWA, passwordHash: QUICK_HASH, allowedSources: [] });
        return readGuarded(client, awa);
      },
    ],
    [GUARDED, ({ client }) => readGuarded(client)],
    [TRANSACTIONS, ({ client }) => client.send('POST', '/v1/transactions', { body: {} })],
    [GUARDED, ({ client }) => readGuarded(client, bearer('a.b.c'))],
    [GUARDED, ({ client }) => readGuarded(client, bearer(old.issue(AWA)))],
    [
      GUARDED,
      ({ client, store, awa }) => {
        store.remove(AWA.id);
        return readGuarded(client, awa);
      },
    ],
    [TRANSACTIONS, (host) => transact(host, { amount: 5 })],
    [TRANSACTIONS, (host) => transact(host, { refercence_cl: 5 })],
    [TRANSACTIONS, (host) => transact(host, { refercence_cl: 'CNT-1002' })],
    [TRANSACTIONS, (host) => transact(host, 'a=1', FORM)],
    ...storeRefusals(refuse, refuse),
    [LOGIN, ({ client }) => client.send('POST', '/v1/login', { headers: LOST })],
    [TRANSACTIONS, (host) => transact(host, undefined, LOST)],
    ...storeRefusals(
      () => Promise.resolve({ account: MALFORMED, passwordHash: QUICK_HASH }),
      () => Promise.resolve(MALFORMED),
    ),
  ];
}

/**
 * Sends two logins, the second while the first waits for the store. The first has the only place of `maxPendingLogins: 1`.
 * @returns the answer to the second login
 */
async function logInWhileBusy({ client, store }: Payments): Promise<Answer> {
  let release: (() => void) | undefined;
  store.findCredentials = () => new Promise((resolve) => (release = () => resolve(null)));
  const first = logIn(client, 'first@boutique.example');
  await until(() => release !== undefined);
  const answer = await logIn(client);
  release?.();
  await first;
  return answer;
}

/** Returns the refusals of login and guard when the methods of the store answer so. */
function storeRefusals(
  findCredentials: UserStore['findCredentials'],
  findById: UserStore['findById'],
): readonly Refusal[] {
  const answering =
    (send: (host: Payments) => Promise<Answer>) =>
    (host: Payments): Promise<Answer> => {
      Object.assign(host.store, { findCredentials, findById });
      return send(host);
    };
  return [
    [LOGIN, answering(({ client }) => logIn(client))],
    [GUARDED, answering(({ client, awa }) => readGuarded(client, awa))],
  ];
}
