import { leaveOutUnless } from '../left-out.js';
import { demand } from '../messages.js';
import { type Answer, demandOf, demandRefusal, isGood, summaryOf } from './answer.js';
import { similarTo, unknownIdentifierLike } from './unknown-credentials.js';
import { demandLogin, type HostCases, demandRefusedLogin, leaveOutOwnLogin, MOUNT_LOGIN, type Visit } from './visit.js';

const LET_DECIDE =
  'Let login.attempt or the router decide, pass its error on with next(error), and answer nothing yourself.';
const COUNT_FAILURES =
  'Failed logins are not counted by source. Leave throttle at its default, and let "trust proxy" name your proxies: it ' +
  'must not be true, and must not be off behind a proxy that sends X-Forwarded-For.';

/** Checks that a login fails because of its credentials. */
async function demandWrong(visit: Visit, identifier: string): Promise<Answer> {
  const answer = await visit.logIn(identifier, similarTo(visit.host.merchant.password));
  await demandRefusedLogin(answer, visit, 'wrong_credentials', LET_DECIDE);
  return answer;
}

export const loginCases: HostCases = {
  '2.2 a good login is answered 200 with exactly the members of the interface': async (visit) => {
    leaveOutOwnLogin(visit);
    const { email, password, referencl } = visit.host.merchant;
    const answer = await visit.logIn(email, password);
    demandLogin(answer, visit);
    const body = (answer.json ?? {}) as Record<string, unknown>;
    const members = 'status,success,code,message,user,marchand,authorisation';
    demand(
      Object.keys(body).join() === members,
      `The body of a good login has the members ${Object.keys(body).join(', ')}, and clients expect ${members}. ` +
        'Let no middleware wrap res.json, res.send or res.end.',
    );
    const marchand = body['marchand'] as { readonly referencl?: unknown };
    demand(
      marchand.referencl === referencl,
      'marchand.referencl of a good login is not the referencl that this test gave. Correct the one of them that is wrong.',
    );
    demand(
      answer.headers['cache-control'] === 'no-store',
      'A good login is answered without Cache-Control: no-store. Let no middleware set that header after the router.',
    );
  },
  '7 a wrong password and an unknown email get the same 401': async (visit) => {
    const { email } = visit.host.merchant;
    const known = await demandWrong(visit, email);
    const unknown = await demandWrong(visit, unknownIdentifierLike(email));
    demandOf(
      unknown,
      known.text === unknown.text,
      'A wrong password and an unknown email get different bodies, so strangers can find out which emails have an account.',
      'Answer both with the same text, as respond and authErrorHandler() do.',
    );
  },
  '7 a disabled account gets 401 account_disabled after its right password': async (visit) => {
    const { disabledMerchant } = visit.host;
    leaveOutUnless(disabledMerchant !== undefined, 'Give disabledMerchant to test this.');
    await demandRefusedLogin(
      await visit.logIn(disabledMerchant.email, disabledMerchant.password),
      visit,
      'account_disabled',
      'Let findCredentials return disabled accounts too, with disabled: true.',
    );
  },
  '7 a login with a body that breaks a rule gets 400 with a description': async (visit) => {
    leaveOutOwnLogin(visit);
    const { email, password } = visit.host.merchant;
    for (const body of [{}, { email }, { email: 'boutique', password }, { email, password: 'short' }, '{"email":']) {
      const headers = typeof body === 'string' ? ([['Content-Type', 'application/json']] as const) : [];
      demandRefusal(
        await visit.send('POST', visit.loginPath, { body, headers }),
        'invalid_body',
        `${MOUNT_LOGIN} Let no parser, cache or limiter before it answer. Mount authErrorHandler() last: it answers the failures of parsers too.`,
      );
    }
  },
  '4 the login needs no token, and a bad one does not matter': async (visit) => {
    const { email, password } = visit.host.merchant;
    const answer = await visit.logIn(email, password, [['Authorization', 'Bearer not.a.token']]);
    if (!isGood(answer)) await visit.tokenOf(visit.host.merchant);
    demandOf(
      answer,
      isGood(answer),
      `A good login with an old token in Authorization got ${summaryOf(answer)}.`,
      'Mount the login before the guard.',
    );
  },
  'the eleventh wrong password for one email from one source gets 429': async (visit) => {
    const { email, password } = visit.host.merchant;
    const unknown = unknownIdentifierLike(email);
    await demandWrong(visit, unknown);
    for (let guess = 2; guess <= 10; guess += 1) await visit.logIn(unknown, similarTo(password));
    const answer = await visit.logIn(unknown, similarTo(password));
    const fix = answer.status === 401 ? COUNT_FAILURES : LET_DECIDE;
    await demandRefusedLogin(answer, visit, 'too_many_attempts', fix);
    demand(
      Number(answer.headers['retry-after']) > 0,
      'The 429 of a login has no Retry-After. Copy error.headers to the answer, as the default respond does.',
    );
  },
};
