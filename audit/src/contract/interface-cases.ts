import { TOKEN_LIFETIME_SECONDS } from 'express-merchant-auth';
import { openApi } from 'express-merchant-auth/openapi';
import { leaveOutUnless } from 'express-merchant-auth/testing';
import { demandOf, demandPass, demandRefusal, demandStatus } from './answer.js';
import { INVALID_BODY, WRONG_CREDENTIALS } from './codes.js';
import { demand } from './demand.js';
import { partsOf } from './token-parts.js';
import { unknownIdentifierLike } from './unknown-ids.js';
import { type HostCases, MOUNT_LOGIN, type Visit } from './visit.js';

interface LoginAnswer {
  readonly marchand: { readonly referencl: string };
}

/** The parts of JSON Schema that a login and the answer to a good one need. */
interface Schema {
  readonly const?: unknown;
  readonly type?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The schemas of a login in the API document of the installed package. */
const { EmailAndPassword: LOGIN, SuccessfulLogin: SUCCESS }: Readonly<Record<string, Schema>> =
  openApi().components.schemas;
const EMAIL = lengthsOf('email');
const PASSWORD = lengthsOf('password');

const LIFETIME = TOKEN_LIFETIME_SECONDS.toLocaleString('en');

function lengthsOf(member: 'email' | 'password') {
  const { minLength: least = 0, maxLength: most = 0 } = LOGIN?.properties?.[member] ?? {};
  return { least, most };
}

/** Names the first part of a value that a schema does not describe, or returns `undefined`. */
function problemIn(value: unknown, { properties, type, ...schema }: Schema = {}, name = ''): string | undefined {
  if (properties !== undefined) {
    const members = Object(value) as Readonly<Record<string, unknown>>;
    if (Object.keys(members).join() !== Object.keys(properties).join()) {
      return name === '' ? 'the list of members' : `the list of members of ${name.slice(1)}`;
    }
    const problems = Object.entries(properties).map(([key, member]) =>
      problemIn(members[key], member, `${name}.${key}`),
    );
    return problems.find((problem) => problem !== undefined);
  }
  const holds = type === 'integer' ? Number.isInteger(value) : typeof value === (type ?? typeof schema.const);
  return holds && (schema.const ?? value) === value ? undefined : name.slice(1);
}

function leaveOutOwnLogin({ host }: Visit): void {
  leaveOutUnless(host.ownLogin === undefined, 'This host has its own login, with its own request and answer.');
}

/** Returns texts of this number of code points. An emoji is one code point, and two UTF-16 units. */
function textsOf(length: number, start = ''): readonly string[] {
  return ['x', '\u{1F600}'].map((letter) => start + letter.repeat(length - start.length));
}

/** Demands 400 for bad values, and 401 for good ones, because no account has them. */
async function demandRule(
  visit: Visit,
  bodyOf: (value: unknown) => object,
  bad: readonly unknown[],
  good: readonly string[],
): Promise<void> {
  leaveOutOwnLogin(visit);
  const logIn = (value: unknown) => visit.send('POST', visit.loginPath, { body: bodyOf(value) });
  for (const value of bad) demandRefusal(await logIn(value), INVALID_BODY, MOUNT_LOGIN);
  for (const value of good) demandRefusal(await logIn(value), WRONG_CREDENTIALS, MOUNT_LOGIN);
}

export const interfaceCases: HostCases = {
  [`2.1 an email is a string of ${EMAIL.least} to ${EMAIL.most} characters with an @`]: (visit) =>
    demandRule(
      visit,
      (email) => ({ email, password: 'not the password of anybody' }),
      [undefined, 12345, 'boutique', ...textsOf(EMAIL.least - 1, '@'), ...textsOf(EMAIL.most + 1, '@')],
      [...textsOf(EMAIL.least, '@'), ...textsOf(EMAIL.most, '@')],
    ),
  [`2.1 a password is a string of ${PASSWORD.least} to ${PASSWORD.most} characters`]: (visit) => {
    const email = unknownIdentifierLike(visit.host.merchant.email);
    return demandRule(
      visit,
      (password) => ({ email, password }),
      [undefined, 123456, ...textsOf(PASSWORD.least - 1), ...textsOf(PASSWORD.most + 1)],
      [...textsOf(PASSWORD.least), ...textsOf(PASSWORD.most)],
    );
  },
  '2.2 a good login is answered 200 with exactly the members of the interface': async (visit) => {
    leaveOutOwnLogin(visit);
    const answer = await visit.logInOnce();
    if (answer.status !== 200) await visit.tokenIn(answer);
    const problem = answer.status === 200 ? problemIn(answer.json, SUCCESS) : 'the status';
    demandOf(
      answer,
      problem === undefined,
      `In the answer to a good login, ${problem} is not as in docs/interface.md 2.2.`,
      `Let no middleware wrap res.json, res.send or res.end. ${MOUNT_LOGIN}`,
    );
    demand(
      (answer.json as LoginAnswer).marchand.referencl === visit.host.merchant.referencl,
      'marchand.referencl of a good login is not the referencl that this test gave. Correct the one that is wrong.',
    );
    demand(
      answer.headers['cache-control'] === 'no-store',
      'A good login is answered without Cache-Control: no-store. Let no middleware set that header after the router.',
    );
  },
  '4 only POST logs in': async (visit) => {
    leaveOutOwnLogin(visit);
    const { email, password } = visit.host.merchant;
    const query = String(new URLSearchParams({ email, password }));
    for (const answer of [
      await visit.send('GET', `${visit.loginPath}?${query}`),
      await visit.send('PUT', visit.loginPath, { body: { email, password } }),
    ]) {
      demandStatus(answer, [401, 404, 405], answer.request, 'Mount nothing else on this path.');
    }
  },
  '4 a login as a form gets 400': async (visit) => {
    leaveOutOwnLogin(visit);
    const { email, password } = visit.host.merchant;
    const body = String(new URLSearchParams({ email, password }));
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    demandRefusal(await visit.send('POST', visit.loginPath, { body, headers }), INVALID_BODY, MOUNT_LOGIN);
  },
  [`5.4 a token is a JWT that is valid for ${LIFETIME} seconds`]: async (visit) => {
    const [{ typ }, { iat, exp }] = partsOf(await visit.tokenOf());
    demand(
      typ === 'at+jwt' && Number(exp) - Number(iat) === TOKEN_LIFETIME_SECONDS,
      `The token of a login is not a JWT of the type at+jwt with exp = iat + ${LIFETIME}. Answer the token that ` +
        'login.attempt or the router gives.',
    );
  },
  '5.5 a login gives no refresh token': async (visit) => {
    leaveOutOwnLogin(visit);
    const { text } = await visit.logInOnce();
    const problem = 'The answer of a login has a refresh token.';
    demand(!text.includes('refresh'), `${problem} Remove it: the client logs in again.`);
  },
  '5.7 a token stays valid after another login': async (visit) => {
    const first = await visit.tokenOf();
    const second = await visit.tokenIn(await visit.logIn(visit.host.merchant));
    const fix = 'Do not set tokensValidAfter at a login: merchants log in on several servers.';
    for (const token of [first, second, first]) demandPass(await visit.transactAs(token), fix);
  },
};
