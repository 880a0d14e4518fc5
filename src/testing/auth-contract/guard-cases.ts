import type { AuthError } from '../../errors/auth-error.js';
import type { Tokens } from '../../tokens/tokens.js';
import { leaveOutUnless } from '../left-out.js';
import { demand, violation } from '../messages.js';
import { createTestTokens } from '../test-tokens.js';
import { demandOf, demandPass, demandRefusal, summaryOf } from './answer.js';
import type { Sending } from './exchange.js';
import type { HostCases, Visit } from './visit.js';

const MOUNT_GUARD = 'Mount requireBearer({ userStore }) before this route, on the same path or a shorter one.';

/** @throws AssertionError unless it has the challenge of RFC 6750 section 3 */
function demandChallenge(headers: Readonly<Record<string, unknown>>, request: string): void {
  demand(
    String(headers['www-authenticate']).startsWith('Bearer realm='),
    `The 401 of ${request} has no WWW-Authenticate: Bearer. Copy error.headers to the answer, as the default respond does.`,
  );
}

async function demandRefused(visit: Visit, code: 'missing_token' | 'invalid_token', sending: Sending): Promise<void> {
  const answer = await visit.transact(undefined, { body: {}, ...sending });
  demandRefusal(answer, code, MOUNT_GUARD);
  demandChallenge(answer.headers, answer.request);
}

/** Returns the account's id in a token of the login. */
function verifiedId(tokens: Tokens, token: string): string {
  try {
    return tokens.verify(token).sub;
  } catch (error) {
    const { detail } = error as AuthError;
    throw violation(
      `These tokens refuse the token of the login (${detail}). Give the tokens of login and guard.`,
      error,
    );
  }
}

export const guardCases: HostCases = {
  '5.3 a request with a good token and the own reference passes': async (visit) => {
    const answer = await visit.transact(await visit.tokenOf(visit.host.merchant));
    const isStripped = answer.status === 401 && summaryOf(answer).endsWith('missing_token');
    demandPass(
      answer,
      isStripped
        ? 'The header Authorization did not arrive. Let the proxy pass it on (proxy_set_header Authorization $http_authorization).'
        : 'Give login and guard the same tokens, store and realm, import both from one copy of the package ' +
            '(npm ls express-merchant-auth), and mount no parser after the guard.',
    );
  },
  '5.8 a request without a token gets 401': (visit) => demandRefused(visit, 'missing_token', {}),
  '5.8 a request with another scheme, a bad token or two Authorization headers gets 401': async (visit) => {
    const token = await visit.tokenOf(visit.host.merchant);
    const bad = (...values: string[]) => ({ headers: { Authorization: values } });
    await demandRefused(visit, 'missing_token', bad(`Basic ${token}`));
    await demandRefused(visit, 'invalid_token', bad('Bearer a.b.c'));
    await demandRefused(visit, 'invalid_token', bad(`Bearer ${token}x`));
    await demandRefused(visit, 'invalid_token', bad(`Bearer ${token}`, `Bearer ${token}`));
  },
  '5.3 a token in the query or in the body does not count': async (visit) => {
    const token = await visit.tokenOf(visit.host.merchant);
    for (const change of [{ query: `?access_token=${token}` }, { body: { access_token: token } }]) {
      demandRefusal(
        await visit.transact(undefined, change),
        'missing_token',
        'Remove the middleware that copies a token into the header Authorization.',
      );
    }
  },
  '5.8 a route that does not exist gets 401 without a token': async (visit) => {
    const answer = await visit.send('GET', `${visit.transactionsPath}/no-such-route`);
    demandRefusal(answer, 'missing_token', `Mount it with app.use. ${MOUNT_GUARD}`);
  },
  'a refused request does not change the answer to the next one': async (visit) => {
    const token = await visit.tokenOf(visit.host.merchant);
    await visit.transact(undefined, { method: 'GET' });
    const answer = await visit.transact(token, { method: 'GET' });
    demandOf(
      answer,
      answer.status !== 401,
      `${answer.request} with a good token got ${summaryOf(answer)} after the same request without one.`,
      'A cache before the guard kept the 401. Mount it after the guard, keyed by merchantOf(req).id.',
    );
  },
  '5.4 a token that is expired, changed or signed with another key gets 401': async (visit) => {
    const { tokens, merchant } = visit.host;
    leaveOutUnless(tokens !== undefined, 'Give tokens to test this.');
    const id = verifiedId(tokens, await visit.tokenOf(merchant));
    const account = { id, marchand: { referencl: merchant.referencl, statut: 1 } };
    const { expired, ...others } = createTestTokens(tokens);
    const fix = 'Let requireBearer({ tokens }) verify the tokens, and mount no other check that lets them pass.';
    demandRefusal(await visit.transact(expired(account)), 'expired_token', fix);
    for (const name of ['notYet', 'wrongKey', 'wrongAlgorithm', 'tampered', 'withoutExpiry'] as const) {
      const answer = await visit.transact(others[name](account));
      demandRefusal(answer, 'invalid_token', fix);
    }
  },
};
