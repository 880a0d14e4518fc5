import { randomUUID } from 'node:crypto';
import { type AuthErrorCode, entryOf } from '../../errors/catalogue.js';
import { leaveOutUnless } from '../left-out.js';
import { type Answer, demandOf, demandRefusal, describeBody, isGood, summaryOf } from './answer.js';
import { exchange, type Sending } from './exchange.js';
import { entryFor } from './host-routes.js';
import type { HostUnderTest, OwnLogin, TestMerchant } from './host-under-test.js';
import { createRedaction } from './redact.js';

/** The host of one case, with functions that send the requests of its clients. */
export type Visit = ReturnType<typeof createVisit>;

/** The parts of a transaction request that a case changes. */
export interface Transaction extends Sending {
  /** The reference in the default body. Default: the merchant's own. */
  readonly referencl?: string;
  /** Default: that of the transactions. */
  readonly path?: string;
  /** The query, with its `?`. */
  readonly query?: string;
  readonly method?: string;
}

/**
 * Cases without a host, by their names. A name is a sentence, which begins with the number of a rule in
 * docs/interface.md, if there is one.
 */
export type HostCases = Readonly<Record<string, (visit: Visit) => Promise<void>>>;

/** Matches the methods whose requests have no body by default. */
export const BODILESS = /^(GET|HEAD|DELETE)$/;

/** Leaves a case out that needs `createLoginRouter`, with the body and the answer of the interface. */
export function leaveOutOwnLogin({ host }: Visit): void {
  leaveOutUnless(host.ownLogin === undefined, 'This host has its own login, with its own request and answer.');
}

/** @param logins the good logins of this host in one run, by the email */
export function createVisit(host: HostUnderTest, baseUrl: string, logins: Map<string, Answer>) {
  const { loginPath = '/v1/login', ownLogin, merchant, transactions } = host;
  const { path: transactionsPath = '/v1/transactions' } = transactions;
  const redact = createRedaction(host);
  const send = async (method: string, path: string, sending: Sending = {}): Promise<Answer> => {
    const received = await exchange(baseUrl, method, path, sending);
    const shownBody = describeBody(received, redact);
    return { ...received, request: redact(received.request), shownBody, isOwnFormat: host.errors === 'own' };
  };
  /** Sends a request with a token, and with the headers that the host gives for this route. */
  const sendAs = (token: string | undefined, method: string, path: string, sending: Sending = {}) =>
    send(method, path, {
      ...sending,
      headers: {
        // Many routes demand this header, and no other route reads it.
        ...(!BODILESS.test(method) && { 'Idempotency-Key': randomUUID() }),
        ...entryFor(host.routes, `${method} ${path.replace(/\?.*/s, '')}`)?.headers,
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...sending.headers,
      },
    });
  const logIn = (identifier: string, password: string, headers: Sending['headers'] = {}) => {
    const body = ownLogin?.body(identifier, password) ?? { email: identifier, password };
    return send('POST', loginPath, { body, headers });
  };
  /** Returns the answer of the one good login of this merchant, or of the first one that is refused. */
  const logInOnce = async ({ email, password }: Omit<TestMerchant, 'referencl'>): Promise<Answer> => {
    const answer = logins.get(email) ?? (await logIn(email, password));
    if (isGood(answer)) logins.set(email, answer);
    return answer;
  };
  return {
    host,
    loginPath,
    transactionsPath,
    redact,
    send,
    sendAs,
    logIn,
    logInOnce,
    async tokenOf(merchant: TestMerchant, logInAs = logInOnce): Promise<string> {
      const answer = await logInAs(merchant);
      const token = isGood(answer) && tokenIn(answer.json, ownLogin);
      demandOf(
        answer,
        typeof token === 'string' && token !== '',
        `${answer.request} with a good password got ${summaryOf(answer)}, and no token.`,
        loginAdvice(answer, host),
      );
      return token;
    },
    /** Sends a transaction of the merchant. `change` replaces parts of the request. */
    transact(token: string | undefined, change: Transaction = {}) {
      const {
        path = transactionsPath,
        query = '',
        method = 'POST',
        referencl = merchant.referencl,
        ...sending
      } = change;
      const body = BODILESS.test(method) ? undefined : transactions.body(referencl);
      return sendAs(token, method, `${path}${query}`, { ...(body !== undefined && { body }), ...sending });
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

/** @throws AssertionError unless the answer is the 200 of `createLoginRouter` */
export function demandLogin(answer: Answer, { host }: Visit): void {
  const got = `${answer.request} with a good password got ${summaryOf(answer)}.`;
  demandOf(answer, answer.status === 200, got, loginAdvice(answer, host));
}

/** Checks that a login is refused. If it is not, and a good login fails too, the message is about the good one. */
export async function demandRefusedLogin(
  answer: Answer,
  visit: Visit,
  code: AuthErrorCode,
  fix: string,
): Promise<void> {
  if (answer.status !== entryOf(code).status) await visit.tokenOf(visit.host.merchant);
  demandRefusal(answer, code, fix);
}
