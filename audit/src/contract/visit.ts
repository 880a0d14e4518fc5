import { randomUUID } from 'node:crypto';
import { leaveOutUnless } from 'express-merchant-auth/testing';
import { type Answer, demandOf, describeBody, isGood, summaryOf } from './answer.js';
import { exchange, type Sending } from './exchange.js';
import { entryFor, type Found } from './host-routes.js';
import type { HostUnderTest, OwnLogin, TestMerchant } from './host-under-test.js';
import { createRedaction } from './redact.js';

export type Visit = ReturnType<typeof createVisit>;

/** The parts of the request of a transaction that a case changes. */
export interface Transaction extends Sending {
  /** The query, with its `?`. */
  readonly query?: string;
}

/** Cases without a host, by their names. A name can begin with the number of a rule in docs/interface.md. */
export type HostCases = Readonly<Record<string, (visit: Visit) => Promise<void>>>;

/** Matches the methods whose requests have no body by default. */
export const BODILESS = /^(GET|HEAD|DELETE)$/;

type Login = Omit<TestMerchant, 'referencl'>;

/** The request and the answer of `createLoginRouter`. */
const ROUTER_LOGIN: OwnLogin = {
  body: (email, password) => ({ email, password }),
  tokenOf: (body) => (body as { readonly authorisation: { readonly token: unknown } }).authorisation.token,
};

/**
 * Returns the host of one case, with functions that send the requests of its clients.
 * @param logins the good logins of this host in one run, by the email
 */
export function createVisit(host: HostUnderTest, found: Found, baseUrl: string, logins: Map<string, Answer>) {
  const { loginPath = '/v1/login', ownLogin: login = ROUTER_LOGIN, merchant } = host;
  /** @throws LeftOut for a host without transactions */
  const transactions = () => {
    leaveOutUnless(host.transactions !== undefined, 'Give transactions to test this.');
    return { path: found.transactionsPath, body: host.transactions.body };
  };
  const redact = createRedaction(host);
  const send = async (method: string, path: string, sending: Sending = {}): Promise<Answer> => {
    const received = await exchange(baseUrl, method, path, sending);
    const shownBody = describeBody(received, redact);
    return { ...received, request: redact(received.request), shownBody, isOwnFormat: host.errors === 'own' };
  };
  /** Sends a request with a token, and with the headers that the host gives for this route. */
  const sendAs = (token: string | undefined, method: string, path: string, sending: Sending = {}) => {
    const named = entryFor(host.routes, `${method} ${path.replace(/\?.*/s, '')}`)?.headers;
    return send(method, path, {
      ...sending,
      headers: {
        // Many routes demand this header, and no other route reads it.
        ...(!BODILESS.test(method) && { 'Idempotency-Key': randomUUID() }),
        ...(typeof named === 'object' && named),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...sending.headers,
      },
    });
  };
  const logIn = ({ email, password }: Login, headers: Sending['headers'] = {}) =>
    send('POST', loginPath, { body: login.body(email, password), headers });
  /** Returns the answer of the one good login of an account, or of the first one that is refused. */
  const logInOnce = async (account: Login = merchant): Promise<Answer> => {
    const answer = logins.get(account.email) ?? (await logIn(account));
    if (isGood(answer)) logins.set(account.email, answer);
    return answer;
  };
  /** @throws Violation unless the answer of a login has a token */
  const tokenIn = async (answer: Answer): Promise<string> => {
    let token: unknown;
    try {
      if (isGood(answer)) token = await login.tokenOf(answer.json);
    } catch {
      // An answer of another form has no token.
    }
    const problem = `${answer.request} with a good password got ${summaryOf(answer)}, and no token.`;
    demandOf(answer, typeof token === 'string' && token !== '', problem, loginAdvice(answer, host));
    return token;
  };
  const tokenOf = async (account: Login = merchant) => tokenIn(await logInOnce(account));
  /** Sends a transaction with the reference of `merchant`. `change` replaces parts of the request. */
  const transactAs = async (token: string | undefined, { query = '', ...sending }: Transaction = {}) => {
    const { path, body } = transactions();
    return sendAs(token, 'POST', `${path}${query}`, { body: body(merchant.referencl), ...sending });
  };
  /** Sends a transaction with the token of `merchant`. */
  const transact = async (change?: Transaction) => transactAs(await tokenOf(), change);
  return {
    host,
    found,
    referenceName: found.referenceName,
    loginPath,
    /** A getter, because a case is left out that reads it for a host without transactions. */
    get transactionsPath() {
      return transactions().path;
    },
    transactionWith: (referencl: string | undefined) => transactions().body(referencl),
    redact,
    send,
    sendAs,
    logIn,
    logInOnce,
    tokenIn,
    tokenOf,
    transactAs,
    transact,
  };
}

export const MOUNT_LOGIN =
  'Mount createLoginRouter(userStore) there, before the guard, or give loginPath, or give ownLogin for your own route. ' +
  'Let no parser, validator, cache or limiter before it answer or change a login.';

function loginAdvice(answer: Answer, { ownLogin }: HostUnderTest): string {
  if (ownLogin === undefined) return `${MOUNT_LOGIN} Give an account that the host has.`;
  if (isGood(answer)) return 'ownLogin.tokenOf found no token in this body.';
  if ([400, 422].includes(answer.status)) {
    return 'Your validator refused email or password of this account, or ownLogin.body has other member names.';
  }
  return 'Give the account and the loginPath that the host has, and mount the login before the guard.';
}
