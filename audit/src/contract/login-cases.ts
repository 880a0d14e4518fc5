import { AuthError, type AuthErrorCode } from 'express-merchant-auth';
import { leaveOutUnless } from 'express-merchant-auth/testing';
import { type Answer, demandHeader, demandOf, demandRefusal, isGood, MOUNT_LAST, summaryOf } from './answer.js';
import { ACCOUNT_DISABLED, INVALID_BODY, TOO_MANY_ATTEMPTS, WRONG_CREDENTIALS } from './codes.js';
import { differencesOf } from './differences.js';
import type { OwnLogin, TestMerchant } from './host-under-test.js';
import { similarTo, unknownIdentifierLike } from './unknown-ids.js';
import { type HostCases, MOUNT_LOGIN, type Visit } from './visit.js';

const LET_DECIDE =
  'Let login.attempt or the router decide, pass its error on with next(error), and answer nothing yourself.';
const COUNT_FAILURES =
  'Failed logins are not counted by source. Leave throttle at its default, and let "trust proxy" name your proxies: it ' +
  'must not be true, and must not be off behind a proxy that sends X-Forwarded-For.';

/** One more than the default of `emailAndSource`. */
const GUESSES = 11;

/** Returns bodies of the host's own login that are not JSON, are empty, or have an object in place of a text. */
function brokenBodies(ownLogin: OwnLogin, { email, password }: TestMerchant): readonly string[] {
  const good = JSON.stringify(ownLogin.body(email, password));
  const changed = [email, password].map((text) => good.replaceAll(JSON.stringify(text), '{"a":1}'));
  return [good.slice(0, -1), '{}', ...changed.filter((body) => body !== good)];
}

/** Checks that a login is refused. If it is not, and a good login fails too, the message is about the good one. */
async function demandRefused(visit: Visit, answer: Answer, code: AuthErrorCode, fix: string): Promise<void> {
  if (answer.status !== new AuthError(code).status) await visit.tokenOf();
  demandRefusal(answer, code, fix);
}

async function demandWrong(visit: Visit, email: string, password: string): Promise<Answer> {
  const answer = await visit.logIn({ email, password });
  await demandRefused(visit, answer, WRONG_CREDENTIALS, LET_DECIDE);
  return answer;
}

export const loginCases: HostCases = {
  '7 a wrong password and an unknown email get the same 401': async (visit) => {
    const { merchant, disabledMerchant } = visit.host;
    const demandUnknown = () => demandWrong(visit, unknownIdentifierLike(merchant.email), similarTo(merchant.password));
    const unknown = [await demandUnknown(), await demandUnknown()] as const;
    for (const [account, what] of [
      [merchant, 'A wrong password'],
      [disabledMerchant, 'A wrong password of a disabled account'],
    ] as const) {
      const answer = account && (await demandWrong(visit, account.email, similarTo(account.password)));
      demandOf(
        unknown[0],
        answer === undefined || differencesOf([answer, answer], unknown).length === 0,
        `${what} and an unknown email get different bodies, so strangers can find out which emails have an account.`,
        'Answer both with the same text, as respond and authErrorHandler() do.',
      );
    }
  },
  '7 a disabled account gets 401 account_disabled after its right password': async (visit) => {
    const { disabledMerchant, ownLogin } = visit.host;
    leaveOutUnless(disabledMerchant !== undefined, 'Give disabledMerchant to test this.');
    const answer = await visit.logIn(disabledMerchant);
    const fix =
      ownLogin && isGood(answer)
        ? 'This route does not use login.attempt, which refuses the account, or findCredentials returns it without disabled: true.'
        : 'Let findCredentials return disabled accounts too, with disabled: true.';
    await demandRefused(visit, answer, ACCOUNT_DISABLED, fix);
  },
  '7 a login with a body that breaks a rule gets 400 with a description': async (visit) => {
    const { ownLogin, merchant } = visit.host;
    const { email, password } = merchant;
    const bodies = [{}, { email }, { email: 'boutique', password }, { email, password: 'short' }, '{"email":'];
    for (const body of ownLogin ? brokenBodies(ownLogin, merchant) : bodies) {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await visit.send('POST', visit.loginPath, { body, headers });
      if (ownLogin) {
        demandOf(
          answer,
          answer.status >= 400 && answer.status < 500,
          `${answer.request} with a body that is broken, or has an object in place of a text, got ${summaryOf(answer)} in place of a 4xx.`,
          'Check that both are strings before you use them, or give them to login.attempt as they are.',
        );
      } else demandRefusal(answer, INVALID_BODY, `${MOUNT_LOGIN} ${MOUNT_LAST}`);
    }
  },
  '4 the login needs no token, and a bad one does not matter': async (visit) => {
    const answer = await visit.logIn(visit.host.merchant, { Authorization: 'Bearer not.a.token' });
    if (!isGood(answer)) await visit.tokenOf();
    const problem = `A good login with an old token in Authorization got ${summaryOf(answer)}.`;
    demandOf(answer, isGood(answer), problem, 'Mount the login before the guard.');
  },
  'wrong passwords for one email from one source get 429 beyond a limit': async (visit) => {
    const { email, password } = visit.host.merchant;
    const unknown = unknownIdentifierLike(email);
    // A repeated guess counts once.
    const guesses = new Set<string>();
    while (guesses.size < GUESSES) guesses.add(similarTo(password));
    const [first = '', ...others] = guesses;
    let answer = await demandWrong(visit, unknown, first);
    for (const guess of others) answer = await visit.logIn({ email: unknown, password: guess });
    const fix = answer.status === 401 ? COUNT_FAILURES : LET_DECIDE;
    await demandRefused(visit, answer, TOO_MANY_ATTEMPTS, fix);
    demandHeader(answer, Number(answer.headers['retry-after']) > 0, 'The 429 of a login has no Retry-After.');
  },
};
