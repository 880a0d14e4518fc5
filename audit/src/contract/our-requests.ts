import { randomUUID } from 'node:crypto';
import type { AuthError, AuthErrorCode } from 'express-merchant-auth';
import { createTestTokens, Violation } from 'express-merchant-auth/testing';
import { type Answer, demandOf, isGood, summaryOf } from './answer.js';
import { FOREIGN } from './asked-host.js';
import { differencesOf } from './differences.js';
import { similarTo, unknownIdentifierLike } from './unknown-ids.js';
import { MOUNT_LOGIN, type Visit } from './visit.js';

/** A request and its answer, which is a 2xx without `code`. */
export interface Row {
  /** Returns `undefined` for a host without the account or the tokens of the request. */
  readonly ask: (visit: Visit) => Promise<Answer> | undefined;
  readonly code?: AuthErrorCode;
  /** Says what to change when the host answers something else. */
  readonly fix: string | ((answer: Answer, visit: Visit) => string);
  /** The same for a host with its own login, whose answer can be any 4xx. */
  readonly ownFix?: string;
  readonly also?: (answer: Answer, visit: Visit) => Promise<void>;
  /** True for a request that can get any answer except 401. */
  readonly isAny?: boolean;
}

const LET_DECIDE =
  'Let login.attempt or the router decide, pass its error on with next(error), and answer nothing yourself.';
export const MOUNT_LAST =
  'Mount authErrorHandler() after all routes, and before every other error handler: it answers the failures of parsers too.';
const MOUNT_GUARD = 'Mount requireBearer({ userStore }) before this route, on the same path or a shorter one.';
const CHECK_OWNERSHIP =
  'Leave reference at "own", give one of the referenceNames of the guard as referenceName, mount no parser after the guard, ' +
  'and mount requireOwnReference() on the route.';
const LET_VERIFY = 'Let requireBearer({ tokens }) verify the tokens, and mount no other check that lets them pass.';

/** No answer may quote it. */
export const SENT = 'sent-4711';
const BROKEN = { body: `{"email":"${SENT}`, headers: { 'Content-Type': 'application/json' } };

const logInUnknown = ({ host, logIn }: Visit) =>
  logIn({ email: unknownIdentifierLike(host.merchant.email), password: similarTo(host.merchant.password) });

/** Demands the answer to an unknown email, without the members that differ each time. */
async function demandLikeUnknown(answer: Answer, visit: Visit): Promise<void> {
  const unknown = [await logInUnknown(visit), await logInUnknown(visit)] as const;
  demandOf(
    answer,
    differencesOf([answer, answer], unknown).length === 0,
    `${answer.request} and an unknown email get different bodies, so strangers can find out which emails have an account.`,
    'Answer both with the same text, as respond and authErrorHandler() do.',
  );
}

/** Returns the row of a wrong password, which tells as little as an unknown email. */
const wrongOf = (member: 'merchant' | 'disabledMerchant'): Row => ({
  ask: ({ host: { [member]: account }, logIn }) =>
    account && logIn({ ...account, password: similarTo(account.password) }),
  code: 'wrong_credentials',
  fix: LET_DECIDE,
  also: demandLikeUnknown,
});

/** By their names, which `leaveOut` can have. A message has them in brackets. */
export const LOGIN: Readonly<Record<string, Row>> = {
  'an old token at the login': {
    ask: ({ host, logIn }) => logIn(host.merchant, { Authorization: 'Bearer not.a.token' }),
    fix: 'Mount the login before the guard.',
  },
  'an unknown email': { ask: logInUnknown, code: 'wrong_credentials', fix: LET_DECIDE },
  'a wrong password': wrongOf('merchant'),
  'a wrong password of a disabled account': wrongOf('disabledMerchant'),
  'a disabled account': {
    ask: ({ host: { disabledMerchant: account }, logIn }) => account && logIn(account),
    code: 'account_disabled',
    fix: (answer, { host }) =>
      host.ownLogin && isGood(answer)
        ? 'This route does not use login.attempt, which refuses the account, or findCredentials returns it without disabled: true.'
        : 'Let findCredentials return disabled accounts too, with disabled: true.',
  },
  'a login with a broken body': {
    ask: ({ send, loginPath }) => send('POST', loginPath, BROKEN),
    code: 'invalid_body',
    fix: `${MOUNT_LOGIN} ${MOUNT_LAST}`,
    ownFix: 'Let the error handlers answer the failures of parsers with 400.',
  },
  'a login with objects in place of texts': {
    ask: ({ send, loginPath, host: { merchant, ownLogin } }) => {
      const { email, password } = merchant;
      const good = JSON.stringify(ownLogin?.body(email, password) ?? { email, password });
      const body = [email, password].reduce((text, value) => text.replaceAll(JSON.stringify(value), '{"a":1}'), good);
      return body === good ? undefined : send('POST', loginPath, { ...BROKEN, body });
    },
    code: 'invalid_body',
    fix: `${MOUNT_LOGIN} ${MOUNT_LAST}`,
    ownFix: 'Check that both are strings before you use them, or give them to login.attempt as they are.',
  },
};

export const GUARD: Readonly<Record<string, Row>> = {
  'a good token': {
    ask: ({ transact }) => transact(),
    fix: (answer) =>
      summaryOf(answer) === '401 missing_token'
        ? 'The header Authorization did not arrive. Let the proxy pass it on (proxy_set_header Authorization $http_authorization).'
        : 'Give login and guard the same tokens, store and realm, import both from one copy of the package ' +
          '(npm ls express-merchant-auth), mount no parser after the guard, and do not set tokensValidAfter at a login.',
  },
  // A validator may not answer before the guard.
  'no token': { ask: ({ transactAs }) => transactAs(undefined, { body: {} }), code: 'missing_token', fix: MOUNT_GUARD },
  'a bad token': { ask: ({ transactAs }) => transactAs('a.b.c'), code: 'invalid_token', fix: MOUNT_GUARD },
  'a token in the query': {
    ask: async ({ transactAs, tokenOf }) => transactAs(undefined, { query: `?access_token=${await tokenOf()}` }),
    code: 'missing_token',
    fix: 'Remove the middleware that copies a token into the header Authorization.',
  },
  'a good token after a refusal': {
    async ask({ sendAs, tokenOf, transactionsPath }) {
      // A cache of the host has no answer for this path.
      const path = `${transactionsPath}?contract=${randomUUID()}`;
      await sendAs(undefined, 'GET', path);
      return sendAs(await tokenOf(), 'GET', path);
    },
    fix: 'A cache before the guard kept the 401. Mount it after the guard, keyed by merchantOf(req).id.',
    isAny: true,
  },
  'an expired token': { ask: (visit) => transactWithBad(visit, 'expired'), code: 'expired_token', fix: LET_VERIFY },
  'a token of another key': {
    ask: (visit) => transactWithBad(visit, 'wrongKey'),
    code: 'invalid_token',
    fix: LET_VERIFY,
  },
  'the reference of another merchant': {
    ask: ({ transact, transactionWith, referenceName }) =>
      transact({ body: { ...transactionWith(FOREIGN), [referenceName]: FOREIGN } }),
    code: 'foreign_reference',
    fix: CHECK_OWNERSHIP,
  },
  'the reference of another merchant in the query': {
    ask: ({ transact, referenceName }) => transact({ query: `?${referenceName}=${FOREIGN}` }),
    code: 'foreign_reference',
    fix: CHECK_OWNERSHIP,
  },
  'no reference': {
    // Where no client sends a reference, the route demands none.
    ask: ({ transact, transactionWith }) =>
      JSON.stringify(transactionWith(FOREIGN)).includes(FOREIGN)
        ? transact({ body: transactionWith(undefined) })
        : undefined,
    code: 'missing_reference',
    fix: 'Mount requireOwnReference() on the route, before your own validation.',
  },
  'a transaction with a broken body': {
    ask: ({ transact }) => transact(BROKEN),
    code: 'invalid_body',
    fix: MOUNT_LAST,
  },
};

function transactWithBad(visit: Visit, kind: 'expired' | 'wrongKey'): Promise<Answer> | undefined {
  const { tokens, merchant } = visit.host;
  return (
    tokens &&
    visit.tokenOf().then((token) => {
      let id: string;
      try {
        id = tokens.verify(token).sub;
      } catch (cause) {
        const { detail } = cause as AuthError;
        const fix = 'Give the tokens of login and guard.';
        throw new Violation(`These tokens refuse the token of the login (${detail}). ${fix}`, { cause });
      }
      const account = { id, marchand: { referencl: merchant.referencl, statut: 1 } };
      return visit.transactAs(createTestTokens(tokens)[kind](account));
    })
  );
}
