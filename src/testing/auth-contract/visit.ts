import type { AuthErrorCode } from '../../errors/catalogue.js';
import { leaveOutUnless } from '../left-out.js';
import { demand } from '../messages.js';
import { adviceOn, type Answer, demandOf, describeBody, isGood, summaryOf } from './answer.js';
import { exchange, type Sending } from './exchange.js';
import type { HostUnderTest, OwnLogin, TestMerchant } from './host-under-test.js';
import { createRedaction } from './redact.js';

/** The host of one case, with functions that send the requests of its clients. */
export interface Visit {
  readonly host: HostUnderTest;
  readonly loginPath: string;
  readonly transactionsPath: string;
  send(method: string, path: string, sending?: Sending): Promise<Answer>;
  logIn(identifier: string, password: string, headers?: Sending['headers']): Promise<Answer>;
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

/**
 * Cases without a host, by their names. A name is a sentence, which begins with the number of a rule in
 * docs/interface.md, if there is one.
 */
export type HostCases = Readonly<Record<string, HostCheck>>;
export type HostCheck = (visit: Visit) => Promise<void>;

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
      const token = isGood(answer) && tokenIn(answer.json, ownLogin);
      demandOf(
        answer,
        typeof token === 'string' && token !== '',
        `${answer.request} with a good password got ${summaryOf(answer)}, and no token.`,
        loginAdvice(answer, host),
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

export const MOUNT_LOGIN =
  'Mount createLoginRouter(userStore) there, before the guard, or give loginPath, or give ownLogin for your own route.';

function loginAdvice(answer: Answer, { ownLogin }: HostUnderTest): string {
  if (ownLogin === undefined) {
    return `${MOUNT_LOGIN} Give an account that the host has, and let no parser, cache or limiter before the login answer.`;
  }
  if (isGood(answer)) return 'ownLogin.tokenOf found no token in this body.';
  if ([400, 422].includes(answer.status)) {
    return 'Your validator refused email or password of this account, or ownLogin.body has other member names.';
  }
  return 'Give the account and the loginPath that the host has, and mount the login before the guard.';
}

/** Returns the token in the body of a good login. A `tokenOf` that throws found none. */
function tokenIn(body: unknown, ownLogin: OwnLogin | undefined): unknown {
  try {
    if (ownLogin) return ownLogin.tokenOf(body);
  } catch {
    return undefined;
  }
  return (body as { readonly authorisation?: { readonly token?: unknown } } | undefined)?.authorisation?.token;
}

export interface Expected {
  readonly status: number;
  readonly code: AuthErrorCode;
  /** Says what to change when the host answers something else. */
  readonly fix: string;
}

/** @throws AssertionError unless it is this refusal, as JSON */
export function demandRefusal(answer: Answer, { host }: Visit, { status, code, fix }: Expected): void {
  const other = `${answer.request} got ${summaryOf(answer)} in place of ${status} ${code}.`;
  demand(answer.status === status, `${other} ${fixOf(answer, code, fix)}${answer.shownBody}`);
  const type = answer.headers['content-type'] ?? 'no Content-Type';
  demandOf(
    answer,
    type.startsWith('application/json') && answer.json !== undefined,
    `The ${status} of ${answer.request} is ${type}, and clients parse JSON.`,
    'Mount authErrorHandler() after all routes, before every other error handler, and let no middleware change the answers.',
  );
  if (host.errors === 'own') return;
  demandOf(
    answer,
    hasLayout(answer),
    `The ${status} of ${answer.request} does not have the members status, success, code, error, message and description of a refusal.`,
    'Let no middleware wrap res.json or rewrite bodies, or give errors: "own" for your own format.',
  );
  demandOf(answer, (answer.json as { readonly error?: unknown }).error === code, other, fix);
}

/** @throws AssertionError unless the answer is the 200 of `createLoginRouter` */
export function demandLogin(answer: Answer, { host }: Visit): void {
  const got = `${answer.request} with a good password got ${summaryOf(answer)}.`;
  demandOf(answer, answer.status === 200, got, loginAdvice(answer, host));
}

/** Checks that a login is refused. If it is not, and a good login fails too, the message is about the good one. */
export async function demandRefusedLogin(answer: Answer, visit: Visit, expected: Expected): Promise<void> {
  if (answer.status !== expected.status) await visit.tokenOf(visit.host.merchant);
  demandRefusal(answer, visit, expected);
}

/** Returns true for a body in the layout of the refusals of this package. */
function hasLayout({ status, json }: Answer): boolean {
  const { status: word, success, code, message, description } = (json ?? {}) as Record<string, unknown>;
  const isRefusal = word === 'Error' && success === false && code === status;
  return isRefusal && typeof message === 'string' && typeof description === 'string';
}

/** Says what to change about the status of an answer, and names `respond` where a `respond` can have changed it. */
function fixOf(answer: Answer, code: AuthErrorCode, fix: string): string {
  if (answer.text.includes(code)) {
    return (
      `The answer names ${code}, so its status was changed: by respond, by an error handler of yours or by a middleware. ` +
      'Send error.status there.'
    );
  }
  const advice = adviceOn(answer, fix);
  const isOfHost = answer.status >= 400 && answer.status !== 429 && answer.json !== undefined && !hasLayout(answer);
  return isOfHost
    ? `${advice} If respond or an error handler of yours wrote this answer, send error.status there.`
    : advice;
}
