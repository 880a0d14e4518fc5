import { leaveOutUnless } from '../left-out.js';
import { demand } from '../messages.js';
import { type Answer, demandOf, demandRefusal, isGood, summaryOf } from './answer.js';
import { differencesOf } from './differences.js';
import type { OwnLogin, TestMerchant } from './host-under-test.js';
import { similarTo, unknownIdentifierLike } from './unknown-credentials.js';
import { demandLogin, type HostCases, demandRefusedLogin, leaveOutOwnLogin, MOUNT_LOGIN, type Visit } from './visit.js';

const LET_DECIDE =
  'Let login.attempt or the router decide, pass its error on with next(error), and answer nothing yourself.';
const CHECK_TEXTS = 'Check that both are strings before you use them, or give them to login.attempt as they are.';
const COUNT_FAILURES =
  'Failed logins are not counted by source. Leave throttle at its default, and let "trust proxy" name your proxies: it ' +
  'must not be true, and must not be off behind a proxy that sends X-Forwarded-For.';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Returns bodies of the host's own login that are not JSON, are empty, or have an object in place of a text. */
function brokenBodies(ownLogin: OwnLogin, { email, password }: TestMerchant): readonly string[] {
  const good = JSON.stringify(ownLogin.body(email, password));
  const changed = [email, password].map((text) => good.replaceAll(JSON.stringify(text), '{"a":1}'));
  return [good.slice(0, -1), '{}', ...changed.filter((body) => body !== good)];
}

/** Checks that a login fails because of its credentials. */
async function demandWrong(visit: Visit, identifier: string, password = visit.host.merchant.password): Promise<Answer> {
  const answer = await visit.logIn(identifier, similarTo(password));
  await demandRefusedLogin(answer, visit, 'wrong_credentials', LET_DECIDE);
  return answer;
}

export const loginCases: HostCases = {
  '2.2 a good login is answered 200 with exactly the members of the interface': async (visit) => {
    leaveOutOwnLogin(visit);
    const { merchant } = visit.host;
    const answer = await visit.logInOnce(merchant);
    demandLogin(answer, visit);
    const body = (answer.json ?? {}) as Record<string, Record<string, unknown>>;
    const members = 'status,success,code,message,user,marchand,authorisation';
    demand(
      Object.keys(body).join() === members,
      `The body of a good login has the members ${Object.keys(body).join(', ')}, and clients expect ${members}. ` +
        'Let no middleware wrap res.json, res.send or res.end.',
    );
    const { user, marchand, authorisation, ...rest } = body;
    const isAsSpecified = {
      'the status': JSON.stringify(rest) === '{"status":"Success","success":true,"code":200,"message":"Login success"}',
      'user.email or user.phone': typeof user?.['email'] === 'string' && typeof user['phone'] === 'string',
      'marchand.statut': Number.isInteger(marchand?.['statut']),
      'authorisation.type': authorisation?.['type'] === 'bearer',
    };
    const [problem] = Object.entries(isAsSpecified).find(([, holds]) => !holds) ?? [];
    demand(
      problem === undefined,
      `In the body of a good login, ${problem} is not as in docs/interface.md 2.2. ${MOUNT_LOGIN} Let nothing rewrite it.`,
    );
    demand(
      marchand?.['referencl'] === merchant.referencl,
      'marchand.referencl of a good login is not the referencl that this test gave. Correct the one of them that is wrong.',
    );
    demand(
      answer.headers['cache-control'] === 'no-store',
      'A good login is answered without Cache-Control: no-store. Let no middleware set that header after the router.',
    );
  },
  '7 a wrong password and an unknown email get the same 401': async (visit) => {
    const { merchant, disabledMerchant } = visit.host;
    const known = await demandWrong(visit, merchant.email);
    const unknown = await demandWrong(visit, unknownIdentifierLike(merchant.email));
    const again = await demandWrong(visit, unknownIdentifierLike(merchant.email));
    const disabled = disabledMerchant && (await demandWrong(visit, disabledMerchant.email, disabledMerchant.password));
    for (const [answer, what] of [
      [known, 'A wrong password'],
      [disabled, 'A wrong password of a disabled account'],
    ] as const) {
      demandOf(
        unknown,
        answer === undefined || differencesOf([answer, answer], [unknown, again]).length === 0,
        `${what} and an unknown email get different bodies, so strangers can find out which emails have an account.`,
        'Answer both with the same text, as respond and authErrorHandler() do.',
      );
    }
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
    const { ownLogin } = visit.host;
    const { email, password } = visit.host.merchant;
    for (const body of ownLogin ? brokenBodies(ownLogin, visit.host.merchant) : []) {
      const answer = await visit.send('POST', visit.loginPath, { body, headers: JSON_TYPE });
      const problem = `${answer.request} with a body that is broken, or has an object in place of a text, got ${summaryOf(answer)}`;
      demandOf(answer, answer.status >= 400 && answer.status < 500, `${problem} in place of a 4xx.`, CHECK_TEXTS);
    }
    if (ownLogin) return;
    for (const body of [{}, { email }, { email: 'boutique', password }, { email, password: 'short' }, '{"email":']) {
      const headers = typeof body === 'string' ? JSON_TYPE : {};
      demandRefusal(
        await visit.send('POST', visit.loginPath, { body, headers }),
        'invalid_body',
        `${MOUNT_LOGIN} Let no parser, cache or limiter before it answer. Mount authErrorHandler() last: it answers the failures of parsers too.`,
      );
    }
  },
  '4 the login needs no token, and a bad one does not matter': async (visit) => {
    const { email, password } = visit.host.merchant;
    const answer = await visit.logIn(email, password, { Authorization: 'Bearer not.a.token' });
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
