import { randomUUID } from 'node:crypto';
import { type Answer, createRedaction, demand, demandOf, exchange, isGood, type Sending, summaryOf } from './answer.js';
import type { Found } from './host-routes.js';
import type { HostUnderTest, OwnLogin, TestMerchant } from './host-under-test.js';
import { entryFor } from './paths.js';

export type Visit = ReturnType<typeof createVisit>;

/**
 * Cases by their names, which can begin with the number of a rule in docs/interface.md. A check that fails is repeated
 * after each of the `pauses`, in milliseconds.
 */
export type HostCases = Readonly<Record<string, (visit: Visit, pauses: readonly number[]) => Promise<void>>>;

/** No body by default. */
export const BODILESS = /^(GET|HEAD|DELETE)$/;

type Login = Omit<TestMerchant, 'referencl'>;

/** For `createLoginRouter`. */
const ROUTER_LOGIN: OwnLogin = {
  body: (email, password) => ({ email, password }),
  tokenOf: (body) => (body as { readonly authorisation: { readonly token: unknown } }).authorisation.token,
};

export const MOUNT_LOGIN =
  'Mount createLoginRouter(userStore) there, before the guard, or give loginPath, or give ownLogin for your own route. Let no parser, validator, cache or limiter before it answer or change a login.';

function referenceIn(token: string): unknown {
  try {
    return (JSON.parse(String(Buffer.from(token.split('.')[1] ?? '', 'base64url'))) as TestMerchant).referencl;
  } catch {
    return undefined;
  }
}

/**
 * Returns the host of one case, with functions that send requests.
 * @param logins the good logins of this host in one run, by email
 */
export function createVisit(host: HostUnderTest, found: Found, baseUrl: string, logins: Map<string, Answer>) {
  const { loginPath = '/v1/login', ownLogin = ROUTER_LOGIN, merchant } = host;
  const redact = createRedaction(host);
  const send = (method: string, path: string, sending: Sending = {}): Promise<Answer> =>
    exchange(baseUrl, method, path, sending, redact);
  /** Adds the headers that the host gives for this route. */
  const sendAs = (token: string | undefined, method: string, path: string, sending: Sending = {}) => {
    const named = entryFor(host.routes, `${method} ${path.replace(/\?.*/s, '')}`)?.headers;
    const headers = new Headers(token ? { authorization: `Bearer ${token}` } : {});
    // Many routes demand this header, and no other route reads it.
    if (!BODILESS.test(method)) headers.set('idempotency-key', randomUUID());
    for (const part of [typeof named === 'object' ? named : {}, sending.headers ?? {}]) {
      for (const [name, value] of Object.entries(part)) headers.set(name, value);
    }
    return send(method, path, { ...sending, headers: Object.fromEntries(headers) });
  };
  const logIn = ({ email, password }: Login, headers = {}) =>
    send('POST', loginPath, { body: ownLogin.body(email, password), headers });
  /** Returns the one good login of an account, or the first refusal. */
  const logInOnce = async (account: Login = merchant): Promise<Answer> => {
    const answer = logins.get(account.email) ?? (await logIn(account));
    if (isGood(answer)) logins.set(account.email, answer);
    return answer;
  };
  /** @throws Violation unless the answer of the login has a token of this merchant */
  const tokenOf = async (account: TestMerchant = merchant): Promise<string> => {
    const answer = await logInOnce(account);
    // An answer of another form has no token.
    const token = await Promise.resolve(answer.json)
      .then((body) => (isGood(answer) ? ownLogin.tokenOf(body) : undefined))
      .catch(() => undefined);
    const problem = `${answer.request} with a good password got ${summaryOf(answer)}, and no token.`;
    const mount = host.ownLogin ? 'Let ownLogin send and read what your route does.' : MOUNT_LOGIN;
    const fix = `${mount} Give an account that the host has.`;
    demandOf(answer, typeof token === 'string' && token !== '', problem, fix);
    const reference = referenceIn(token) ?? account.referencl;
    demand(
      reference === account.referencl,
      'marchand.referencl of a good login is not the referencl that this test gave. Correct the one that is wrong.',
    );
    return token;
  };
  return { host, found, loginPath, loginBody: ownLogin.body, redact, send, sendAs, logIn, logInOnce, tokenOf };
}
