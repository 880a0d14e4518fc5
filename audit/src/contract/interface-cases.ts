import { TOKEN_LIFETIME_SECONDS } from 'express-merchant-auth';
import { leaveOutUnless } from 'express-merchant-auth/testing';
import { demandOf, demandPass, demandRefusal, demandStatus } from './answer.js';
import { WRONG_CREDENTIALS } from './codes.js';
import { demand } from './demand.js';
import { partsOf } from './token-parts.js';
import { unknownIdentifierLike } from './unknown-ids.js';
import { type HostCases, MOUNT_LOGIN, type Visit } from './visit.js';

interface LoginAnswer {
  readonly marchand: { readonly referencl: string };
}

/** An answer to a good login. A text or a number that is empty stands for any value of its type. */
const SUCCESS = {
  status: 'Success',
  success: true,
  code: 200,
  message: 'Login success',
  user: { email: '', phone: '' },
  marchand: { referencl: '', statut: 0 },
  authorisation: { token: '', type: 'bearer' },
};
/** The most characters of an email and of a password. */
const LONGEST = 255;

const LIFETIME = TOKEN_LIFETIME_SECONDS.toLocaleString('en');

/** Names the first part of a value that is not like an example, or returns `undefined`. */
function problemIn(value: unknown, like: unknown, name = ''): string | undefined {
  if (!(like instanceof Object)) {
    const isLike = typeof like === 'number' ? Number.isInteger(value) : typeof value === typeof like;
    return isLike && ['', 0, value].includes(like) ? undefined : name.slice(1);
  }
  const members = Object(value) as Readonly<Record<string, unknown>>;
  if (Object.keys(members).join() !== Object.keys(like).join()) {
    return name === '' ? 'the list of members' : `the list of members of ${name.slice(1)}`;
  }
  const problems = Object.entries(like).map(([key, member]) => problemIn(members[key], member, `${name}.${key}`));
  return problems.find((problem) => problem !== undefined);
}

function leaveOutOwnLogin({ host }: Visit): void {
  leaveOutUnless(host.ownLogin === undefined, 'This host has its own login, with its own request and answer.');
}

export const interfaceCases: HostCases = {
  '2.1 a login takes the longest email and the longest password': async (visit) => {
    leaveOutOwnLogin(visit);
    const email = unknownIdentifierLike(visit.host.merchant.email);
    // An emoji is one character, and two UTF-16 units.
    for (const letter of ['x', '\u{1F600}']) {
      const password = letter.repeat(LONGEST);
      for (const identifier of [email, `@${letter.repeat(LONGEST - 1)}`]) {
        const answer = await visit.logIn({ email: identifier, password });
        demandRefusal(answer, WRONG_CREDENTIALS, MOUNT_LOGIN);
      }
    }
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
  [`5.4 a token is a JWT that is valid for ${LIFETIME} seconds`]: async (visit) => {
    const [{ typ }, { iat, exp }] = partsOf(await visit.tokenOf());
    demand(
      typ === 'at+jwt' && Number(exp) - Number(iat) === TOKEN_LIFETIME_SECONDS,
      `The token of a login is not a JWT of the type at+jwt with exp = iat + ${LIFETIME}. Answer the token that ` +
        'login.attempt or the router gives.',
    );
  },
  '5.7 a token stays valid after another login': async (visit) => {
    const first = await visit.tokenOf();
    const second = await visit.tokenIn(await visit.logIn(visit.host.merchant));
    const fix = 'Do not set tokensValidAfter at a login: merchants log in on several servers.';
    for (const token of [first, second, first]) demandPass(await visit.transactAs(token), fix);
  },
};
