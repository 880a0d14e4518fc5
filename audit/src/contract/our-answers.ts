import { randomUUID } from 'node:crypto';
import { AuthError, type AuthErrorCode } from 'express-merchant-auth';
import { createTestTokens, leaveOutUnless, Violation } from 'express-merchant-auth/testing';
import { type Answer, demand, demandEach, demandOf, isGood, type Sending, summaryOf } from './answer.js';
import { FOREIGN } from './asked-host.js';
import { differencesOf } from './json.js';
import { similarTo, unknownIdentifierLike } from './unknown-ids.js';
import { type HostCases, MOUNT_LOGIN, type Visit } from './visit.js';

/** `any` is each answer except 401. */
type Expected = AuthErrorCode | '2xx' | 'any';
/** Returns `undefined` for a host without the account or the tokens. */
type Ask = (visit: Visit) => Promise<Answer | undefined> | undefined;

/** @param fix says what to change after another answer */
const row = (expected: Expected, fix: string, ask: Ask) => ({ expected, fix, ask });

const LET_DECIDE =
  'Let login.attempt or the router decide, pass its error on with next(error), and answer nothing yourself.';
const MOUNT_LAST =
  'Mount authErrorHandler() after all routes, and before every other error handler: it answers the failures of parsers too.';
const READ_BODY = `${MOUNT_LOGIN} ${MOUNT_LAST} Give what your own login gets to login.attempt as it is.`;
const ACCEPT =
  '401 missing_token: The header Authorization did not arrive. Let the proxy pass it on (proxy_set_header Authorization $http_authorization). Another 401: Give login and guard the same tokens, store and realm, import both from one copy of the package (npm ls express-merchant-auth), and do not set tokensValidAfter at a login. 400 missing_reference: Give requireBearer the name that transactions.body has, as referenceNames. Otherwise: Let transactions.body return what the route accepts, different each time, and mount no parser after the guard.';
const MOUNT_GUARD = 'Mount requireBearer({ userStore }) before this route, on the same path or a shorter one.';
const VERIFY = 'Let requireBearer({ tokens }) verify the tokens, and mount no other check that lets them pass.';
const CHECK_OWNERSHIP =
  'Leave reference at "own", give one of the referenceNames of the guard as referenceName, mount no parser after the guard, and mount requireOwnReference() on the route.';

const FORMAT = "If your refusals have another format, write errors: 'own'.";

/** No answer may quote it. */
const SENT = 'sent-4711';
const BROKEN = { body: `{"email":"${SENT}`, headers: { 'content-type': 'application/json' } };

const logInUnknown = ({ host: { merchant }, logIn }: Visit) =>
  logIn({ email: unknownIdentifierLike(merchant.email), password: similarTo(merchant.password) });
const logInWrong =
  (member: 'merchant' | 'disabledMerchant') =>
  ({ host: { [member]: account }, logIn }: Visit) =>
    account && logIn({ ...account, password: similarTo(account.password) });
const bodyWith = ({ host }: Visit, referencl: string | undefined) => host.transactions?.body(referencl) ?? {};

/**
 * Sends a good transaction of `merchant`, or a changed one.
 * @param token an empty one is not sent
 * @param query with its question mark
 */
async function transact(visit: Visit, { token, query = '', ...sending }: Sending & { token?: string; query?: string }) {
  const body = bodyWith(visit, visit.host.merchant.referencl);
  const path = visit.found.transactionsPath + query;
  return visit.sendAs(token ?? (await visit.tokenOf()), 'POST', path, { body, ...sending });
}

async function transactWithBad(visit: Visit, kind: 'expired' | 'wrongKey'): Promise<Answer | undefined> {
  const { tokens, merchant } = visit.host;
  if (tokens === undefined) return undefined;
  const account = { id: '', marchand: { referencl: merchant.referencl, statut: 1 } };
  const good = await visit.tokenOf();
  try {
    account.id = tokens.verify(good).sub;
  } catch (cause) {
    const problem = `These tokens refuse the token of the login (${(cause as AuthError).detail}).`;
    throw new Violation(`${problem} Give the tokens of login and guard.`, { cause });
  }
  return transact(visit, { token: createTestTokens(tokens)[kind](account) });
}

/** `leaveOut` can have these names. Messages have them in brackets. */
const LOGIN = {
  'an old token at the login': row('2xx', 'Mount the login before the guard.', ({ host, logIn }) =>
    logIn(host.merchant, { authorization: 'Bearer not.a.token' }),
  ),
  'an unknown email': row('wrong_credentials', LET_DECIDE, logInUnknown),
  'a wrong password': row('wrong_credentials', LET_DECIDE, logInWrong('merchant')),
  'a wrong password of a disabled account': row('wrong_credentials', LET_DECIDE, logInWrong('disabledMerchant')),
  'a disabled account': row(
    'account_disabled',
    'Let findCredentials return disabled accounts too, with disabled: true, and let login.attempt refuse them.',
    ({ host: { disabledMerchant }, logIn }) => disabledMerchant && logIn(disabledMerchant),
  ),
  'a login with a broken body': row('invalid_body', READ_BODY, ({ send, loginPath }) =>
    send('POST', loginPath, BROKEN),
  ),
  'a login with objects in place of texts': row('invalid_body', READ_BODY, ({ send, loginPath, loginBody, host }) => {
    const { email, password } = host.merchant;
    const good = JSON.stringify(loginBody(email, password));
    const body = [email, password].reduce((text, value) => text.replaceAll(JSON.stringify(value), '{"a":1}'), good);
    return body === good ? undefined : send('POST', loginPath, { ...BROKEN, body });
  }),
};

const GUARD = {
  'a good token': row('2xx', ACCEPT, (visit) => transact(visit, {})),
  // A validator may not answer before the guard.
  'no token': row('missing_token', MOUNT_GUARD, (visit) => transact(visit, { token: '', body: {} })),
  'a bad token': row('invalid_token', MOUNT_GUARD, (visit) => transact(visit, { token: 'a.b.c' })),
  'an expired token': row('expired_token', VERIFY, (visit) => transactWithBad(visit, 'expired')),
  'a token of another key': row('invalid_token', VERIFY, (visit) => transactWithBad(visit, 'wrongKey')),
  'a token in the query': row(
    'missing_token',
    'Remove the middleware that copies a token into the header Authorization.',
    async (visit) => transact(visit, { token: '', query: `?access_token=${await visit.tokenOf()}` }),
  ),
  'a good token after a refusal': row(
    'any',
    'A cache before the guard kept the 401. Mount it after the guard, keyed by merchantOf(req).id.',
    async ({ sendAs, tokenOf, found }) => {
      // A cache of the host has no answer for this path.
      const path = `${found.transactionsPath}?contract=${randomUUID()}`;
      await sendAs(undefined, 'GET', path);
      return sendAs(await tokenOf(), 'GET', path);
    },
  ),
  'the reference of another merchant': row('foreign_reference', CHECK_OWNERSHIP, (visit) =>
    transact(visit, { body: { ...bodyWith(visit, FOREIGN), [visit.found.referenceName]: FOREIGN } }),
  ),
  'no reference': row(
    'missing_reference',
    'Mount requireOwnReference() on the route, before your own validation.',
    (visit) => {
      // Where no client sends a reference, the route demands none.
      const isSent = JSON.stringify(bodyWith(visit, FOREIGN)).includes(FOREIGN);
      return isSent ? transact(visit, { body: bodyWith(visit, undefined) }) : undefined;
    },
  ),
  'a transaction with a broken body': row('invalid_body', MOUNT_LAST, (visit) => transact(visit, BROKEN)),
};

const SUCCESS =
  /^{"status":"Success","success":true,"code":200,"message":"Login success","user":{"email":"[^"]+","phone":"[^"]*"},"marchand":{"referencl":"[^"]+","statut":\d+},"authorisation":{"token":"[^"]+","type":"bearer"}}$/;

async function demandGoodLogin({ host, logInOnce, tokenOf }: Visit): Promise<void> {
  const answer = await logInOnce();
  if (host.ownLogin || answer.status !== 200) return void (await tokenOf());
  const text = JSON.stringify(answer.json);
  const problem = 'The answer to a good login is not as in docs/interface.md 2.2.';
  demandOf(answer, SUCCESS.test(text), problem, `Let no middleware wrap res.json, res.send or res.end. ${MOUNT_LOGIN}`);
  demand(
    answer.headers.get('cache-control') === 'no-store',
    'A good login is answered without Cache-Control: no-store. Let no middleware set that header after the router.',
  );
  await tokenOf();
}

async function demandRow(visit: Visit, name: string, { expected, fix, ask }: ReturnType<typeof row>): Promise<void> {
  const answer = await ask(visit);
  if (answer === undefined) return;
  const { status, text, headers, json } = answer;
  const request = `${answer.request} (${name})`;
  const demandStatus = (isRight: boolean, wanted: string) =>
    demandOf(answer, isRight, `${request} got ${summaryOf(answer)}${wanted}.`, fix);
  if (expected === 'any') demandStatus(status !== 401, '');
  else if (expected === '2xx') demandStatus(isGood(answer), ' in place of a 2xx');
  else if (visit.host.ownLogin && name in LOGIN && expected === 'invalid_body')
    demandStatus(status >= 400 && status < 500, ' in place of a 4xx');
  else {
    const refusal = `${new AuthError(expected).status} ${expected}`;
    const isRefusal = summaryOf(answer) === refusal;
    const isOwn = visit.host.errors === 'own' && refusal.startsWith(String(status)) && json !== undefined;
    const isFormat = refusal.startsWith(String(status)) && summaryOf(answer) === String(status);
    const what = `${request} got ${summaryOf(answer)} in place of ${refusal}.`;
    demandOf(answer, isRefusal || isOwn, what, isFormat && visit.host.errors !== 'own' ? `${fix} ${FORMAT}` : fix);
    const isChallenge = String(headers.get('www-authenticate')).startsWith('Bearer realm=');
    const problem = `The ${status} of ${request} has no WWW-Authenticate: Bearer.`;
    const copy = 'Copy error.headers to the answer, as the default respond does.';
    demandOf(answer, isChallenge || !expected.endsWith('_token'), problem, copy);
  }
  demand(!text.includes(SENT), `The ${status} of ${request} quotes the body. ${MOUNT_LAST}`);
  if (expected !== 'wrong_credentials' || ask === logInUnknown) return;
  demandOf(
    answer,
    differencesOf(await logInUnknown(visit), await logInUnknown(visit), answer).length === 0,
    `${request} and an unknown email get different bodies, so strangers can find out which emails have an account.`,
    'Answer both with the same text, as respond and authErrorHandler() do.',
  );
}

export const REQUEST_NAMES = Object.keys({ ...LOGIN, ...GUARD });

export const ourAnswers: HostCases = {
  'login and guard answer as docs/interface.md says': async (visit) => {
    const { transactions, leaveOut } = visit.host;
    // No other answer tells anything without a good login.
    await demandGoodLogin(visit);
    const rows = Object.entries({ ...LOGIN, ...(transactions && GUARD) });
    const asked = rows.filter(([name]) => leaveOut?.[name] === undefined);
    await demandEach(asked, ([name, one]) => demandRow(visit, name, one));
    leaveOutUnless(transactions !== undefined, 'The login was tested. Give transactions to test the guard.');
  },
};
