import { randomUUID } from 'node:crypto';
import { demand } from '../messages.js';
import { demandOf, demandPass, demandRefusal, summaryOf } from './answer.js';
import { unknownIdentifierLike } from './unknown-credentials.js';
import { type HostCases, leaveOutOwnLogin, MOUNT_LOGIN } from './visit.js';

const PASSWORD = 'not the password of anybody';
const FIX = `${MOUNT_LOGIN} Let nothing before it validate, trim or rewrite the login request.`;

/** Returns an email with this number of code points. No account has it. */
function emailOf(length: number, letter: string): string {
  const start = length > 40 ? `${randomUUID()}@` : '@';
  return start + letter.repeat(length - start.length);
}

/** An ASCII letter and an emoji, because lengths are counted in code points: an emoji is one. */
const LETTERS = ['x', '\u{1F600}'] as const;

function decode(part = ''): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
}

/** The rules of docs/interface.md that hold for every host. */
export const interfaceCases: HostCases = {
  '2.1 an email is a string of 5 to 255 characters with an @': async (visit) => {
    leaveOutOwnLogin(visit);
    const logIn = (email: unknown) => visit.send('POST', visit.loginPath, { body: { email, password: PASSWORD } });
    for (const email of [undefined, 12345, 'boutique', 'a@bc']) demandRefusal(await logIn(email), 'invalid_body', FIX);
    for (const letter of LETTERS) {
      for (const length of [4, 256]) demandRefusal(await logIn(emailOf(length, letter)), 'invalid_body', FIX);
      for (const length of [5, 255]) demandRefusal(await logIn(emailOf(length, letter)), 'wrong_credentials', FIX);
    }
  },
  '2.1 a password is a string of 6 to 255 characters': async (visit) => {
    leaveOutOwnLogin(visit);
    const email = unknownIdentifierLike(visit.host.merchant.email);
    const logIn = (password: unknown) => visit.send('POST', visit.loginPath, { body: { email, password } });
    for (const password of [undefined, 123456]) demandRefusal(await logIn(password), 'invalid_body', FIX);
    for (const letter of LETTERS) {
      for (const length of [5, 256]) demandRefusal(await logIn(letter.repeat(length)), 'invalid_body', FIX);
      for (const length of [6, 255]) demandRefusal(await logIn(letter.repeat(length)), 'wrong_credentials', FIX);
    }
  },
  '4 only POST logs in': async (visit) => {
    leaveOutOwnLogin(visit);
    const { email, password } = visit.host.merchant;
    const query = `?email=${encodeURIComponent(email)}&password=${encodeURIComponent(password)}`;
    for (const [method, path, sending] of [
      ['GET', `${visit.loginPath}${query}`, {}],
      ['PUT', visit.loginPath, { body: { email, password } }],
    ] as const) {
      const answer = await visit.send(method, path, sending);
      demandOf(
        answer,
        [401, 404, 405].includes(answer.status),
        `${method} ${visit.loginPath} got ${summaryOf(answer)} in place of 401, 404 or 405.`,
        'Mount nothing else on this path.',
      );
    }
  },
  '4 a login as a form gets 400': async (visit) => {
    leaveOutOwnLogin(visit);
    const { email, password } = visit.host.merchant;
    const body = new URLSearchParams({ email, password }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    demandRefusal(await visit.send('POST', visit.loginPath, { body, headers }), 'invalid_body', FIX);
  },
  '5.4 a token is a JWT that is valid for 18,000 seconds': async (visit) => {
    const parts = (await visit.tokenOf(visit.host.merchant)).split('.');
    const { typ } = decode(parts[0]);
    const { iat, exp } = decode(parts[1]);
    demand(
      parts.length === 3 && typ === 'at+jwt' && Number(exp) - Number(iat) === 18_000,
      'The token of a login is not a JWT of the type at+jwt with exp = iat + 18,000. Answer the token that login.attempt or ' +
        'the router gives.',
    );
  },
  '5.5 a login gives no refresh token': async (visit) => {
    const { text } = await visit.logInOnce(visit.host.merchant);
    demand(
      !text.includes('refresh'),
      'The answer of a login has a refresh token. Remove it: the client logs in again.',
    );
  },
  '5.7 a token stays valid after another login': async (visit) => {
    const { merchant } = visit.host;
    const first = await visit.tokenOf(merchant);
    const second = await visit.tokenOf(merchant, ({ email, password }) => visit.logIn(email, password));
    for (const token of [first, second, first]) {
      demandPass(
        await visit.transact(token),
        'Do not set tokensValidAfter at a login: merchants log in on several servers.',
      );
    }
  },
};
