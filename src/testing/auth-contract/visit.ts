import type { AuthErrorCode } from '../../errors/catalogue.js';
import { leaveOutUnless } from '../left-out.js';
import { demand } from '../messages.js';
import { exchange, type Received, type Sending } from './exchange.js';
import type { HostUnderTest, TestMerchant } from './host-under-test.js';
import { createRedaction, excerptOf } from './redact.js';

/** An answer of the host. Its `request` has no password and no token, because messages show it. */
export interface Answer extends Received {
  /** The sentence on the body that ends a message, without passwords and tokens. Empty without a body. */
  readonly shownBody: string;
}

/** The host of one case, with functions that send the requests of its clients. */
export interface Visit {
  readonly host: HostUnderTest;
  readonly loginPath: string;
  readonly transactionsPath: string;
  send(method: string, path: string, sending?: Sending): Promise<Answer>;
  /** Logs in, and returns the answer. */
  logIn(identifier: string, password: string, headers?: Sending['headers']): Promise<Answer>;
  /** Logs in, and returns the token. */
  tokenOf(merchant: TestMerchant): Promise<string>;
  /** Sends a transaction of the merchant. `change` replaces parts of the request. */
  transact(token: string | undefined, change?: Transaction): Promise<Answer>;
}

/** The parts of a transaction request that a case changes. */
export interface Transaction extends Sending {
  /** Default: the merchant's own. */
  readonly referencl?: string;
  /** The query, with its `?`. */
  readonly query?: string;
  readonly method?: string;
}

/** A case, without its host. */
export interface HostCase {
  /** Names the case in a sentence. It begins with the number of a rule in docs/interface.md, if there is one. */
  readonly name: string;
  readonly check: (visit: Visit) => Promise<void>;
}

/** Leaves a case out that needs `createLoginRouter`, with the body and the answer of the interface. */
export function leaveOutOwnLogin({ host }: Visit): void {
  leaveOutUnless(host.ownLogin === undefined, 'This host has its own login, with its own request and answer.');
}

export function createVisit(host: HostUnderTest, baseUrl: string): Visit {
  const { loginPath = '/v1/login', ownLogin, merchant, transactions } = host;
  const { path: transactionsPath = '/v1/transactions' } = transactions;
  const redact = createRedaction(host);
  const send: Visit['send'] = async (method, path, sending = {}) => {
    const received = await exchange(baseUrl, method, path, sending);
    return { ...received, request: redact(received.request), shownBody: describeBody(received, redact) };
  };
  const logIn: Visit['logIn'] = (identifier, password, headers = []) => {
    const body = ownLogin?.body(identifier, password) ?? { email: identifier, password };
    return send('POST', loginPath, { body, headers });
  };
  return {
    host,
    loginPath,
    transactionsPath,
    send,
    logIn,
    async tokenOf({ email, password }) {
      const answer = await logIn(email, password);
      const token = answer.status === 200 && (ownLogin?.tokenOf(answer.json) ?? tokenIn(answer.json));
      demandOf(
        answer,
        typeof token === 'string' && token !== '',
        `${answer.request} with a good password got ${summaryOf(answer)}, and no token. ${LOGIN_HINT}`,
      );
      return token;
    },
    transact(token, { referencl = merchant.referencl, query = '', method = 'POST', headers = [], body } = {}) {
      const authorization: readonly [string, string][] =
        token === undefined ? [] : [['Authorization', `Bearer ${token}`]];
      const sent = method === 'GET' ? {} : { body: body ?? transactions.body(referencl) };
      return send(method, `${transactionsPath}${query}`, { ...sent, headers: [...authorization, ...headers] });
    },
  };
}

const LOGIN_HINT =
  'Give the account and the path that the host has. Mount createLoginRouter(userStore) before the guard, and no ' +
  'parser before either of them.';

function tokenIn(body: unknown): unknown {
  return (body as { readonly authorisation?: { readonly token?: unknown } } | undefined)?.authorisation?.token;
}

/** Describes a body. A good answer can hold a secret that nothing here knows, so only its members are named. */
function describeBody({ status, text, json }: Received, redact: (text: string) => string): string {
  if (text === '') return '';
  const isGood = status >= 200 && status < 300;
  // The text is cut after the redaction, because a part of a password would stay.
  if (!isGood) return ` The body: ${excerptOf(redact(text))}`;
  return json instanceof Object ? ` The body has the members ${excerptOf(redact(Object.keys(json).join(', ')))}.` : '';
}

/**
 * Fails a case on an answer.
 * @throws AssertionError with `message` and the body, unless `holds`
 */
export function demandOf({ shownBody }: Answer, holds: boolean, message: string): asserts holds {
  demand(holds, message + shownBody);
}

/** Returns the status and the code of an answer, for messages. */
export function summaryOf({ status, json }: Answer): string {
  const code = (json as { readonly error?: unknown } | undefined)?.error;
  return typeof code === 'string' ? `${status} ${code}` : String(status);
}

/** The refusal that a case expects. */
export interface Expected {
  readonly status: number;
  readonly code: AuthErrorCode;
  /** Says what to change when the host answers something else. */
  readonly fix: string;
}

/**
 * Checks that the answer is a refusal.
 * @throws AssertionError unless it is this refusal, as JSON
 */
export function demandRefusal(answer: Answer, { host }: Visit, { status, code, fix }: Expected): void {
  const other = `${answer.request} got ${summaryOf(answer)} in place of ${status} ${code}.`;
  demandOf(answer, answer.status === status, `${other} ${fixOf(answer, code, fix)}`);
  const type = answer.headers['content-type'] ?? 'no Content-Type';
  demandOf(
    answer,
    type.startsWith('application/json') && answer.json !== undefined,
    `The ${status} of ${answer.request} is ${type}, and clients parse JSON. Mount authErrorHandler() after all routes, ` +
      'before every other error handler, and let no middleware change the answers.',
  );
  if (host.errors === 'own') return;
  demandOf(
    answer,
    hasLayout(answer),
    `The ${status} of ${answer.request} does not have the members status, success, code, error, message and description ` +
      'of a refusal. Let no middleware wrap res.json or rewrite bodies, or give errors: "own" for your own format.',
  );
  demandOf(answer, (answer.json as { readonly error?: unknown }).error === code, `${other} ${fix}`);
}

/** Returns true for a body in the layout of the refusals of this package. */
function hasLayout({ status, json }: Answer): boolean {
  const { status: word, success, code, message, description } = (json ?? {}) as Record<string, unknown>;
  const isRefusal = word === 'Error' && success === false && code === status;
  return isRefusal && typeof message === 'string' && typeof description === 'string';
}

/** Says what to change about the status of an answer. It names `respond` where a `respond` can have changed it. */
function fixOf(answer: Answer, code: AuthErrorCode, fix: string): string {
  if (answer.text.includes(code)) {
    return (
      `The answer names ${code}, so its status was changed: by respond, by an error handler of yours or by a middleware. ` +
      'Send error.status there.'
    );
  }
  const isOfHost = answer.status >= 400 && answer.json !== undefined && !hasLayout(answer);
  return isOfHost ? `${fix} If respond or an error handler of yours wrote this answer, send error.status there.` : fix;
}

/**
 * Checks that the request passed.
 * @throws AssertionError unless the route answered 2xx
 */
export function demandPass(answer: Answer, fix: string): void {
  demandOf(
    answer,
    answer.status >= 200 && answer.status < 300,
    `${answer.request} with a good token and the own reference got ${summaryOf(answer)}. ${fix}`,
  );
}
