import { randomUUID } from 'node:crypto';
import type { AuthError, AuthErrorCode } from 'express-merchant-auth';
import { createTestTokens, leaveOutUnless, Violation } from 'express-merchant-auth/testing';
import { demandHeader, demandOf, demandPass, demandRefusal, summaryOf } from './answer.js';
import { EXPIRED_TOKEN, INVALID_TOKEN, MISSING_TOKEN } from './codes.js';
import type { Sending } from './exchange.js';
import type { HostCases, Visit } from './visit.js';

const MOUNT_GUARD = 'Mount requireBearer({ userStore }) before this route, on the same path or a shorter one.';
const LET_VERIFY = 'Let requireBearer({ tokens }) verify the tokens, and mount no other check that lets them pass.';
const ADAPTER =
  'A serverless adapter such as serverless-http keeps one of two Authorization headers, so that the guard sees a good one: ' +
  'leave this case out there.';

/** Demands a 401 with the challenge of RFC 6750 section 3. The body is empty, because a validator may not answer first. */
async function demandRefused(visit: Visit, code: AuthErrorCode, headers: Sending['headers'] = {}, fix = MOUNT_GUARD) {
  const answer = await visit.transactAs(undefined, { body: {}, headers });
  demandRefusal(answer, code, fix);
  const hasChallenge = String(answer.headers['www-authenticate']).startsWith('Bearer realm=');
  demandHeader(answer, hasChallenge, `The 401 of ${answer.request} has no WWW-Authenticate: Bearer.`);
}

export const guardCases: HostCases = {
  '5.3 a request with a good token and the own reference passes': async (visit) => {
    const answer = await visit.transact();
    demandPass(
      answer,
      summaryOf(answer) === `401 ${MISSING_TOKEN}`
        ? 'The header Authorization did not arrive. Let the proxy pass it on (proxy_set_header Authorization $http_authorization).'
        : 'Give login and guard the same tokens, store and realm, import both from one copy of the package ' +
            '(npm ls express-merchant-auth), and mount no parser after the guard.',
    );
  },
  '5.8 a request without a token gets 401': (visit) => demandRefused(visit, MISSING_TOKEN),
  '5.8 a request with another scheme, a bad token or two Authorization headers gets 401': async (visit) => {
    const token = await visit.tokenOf();
    await demandRefused(visit, MISSING_TOKEN, { Authorization: `Basic ${token}` });
    await demandRefused(visit, INVALID_TOKEN, { Authorization: 'Bearer a.b.c' });
    await demandRefused(visit, INVALID_TOKEN, { Authorization: `Bearer ${token}x` });
    const twice = { Authorization: [`Bearer ${token}`, `Bearer ${token}`] };
    await demandRefused(visit, INVALID_TOKEN, twice, `${MOUNT_GUARD} ${ADAPTER}`);
  },
  '5.3 a token in the query or in the body does not count': async (visit) => {
    const token = await visit.tokenOf();
    const fix = 'Remove the middleware that copies a token into the header Authorization.';
    for (const change of [{ query: `?access_token=${token}` }, { body: { access_token: token } }]) {
      demandRefusal(await visit.transactAs(undefined, change), MISSING_TOKEN, fix);
    }
  },
  '5.8 a route that does not exist gets 401 without a token': async (visit) => {
    const answer = await visit.send('GET', `${visit.transactionsPath}/no-such-route`);
    demandRefusal(answer, MISSING_TOKEN, `Mount it with app.use. ${MOUNT_GUARD}`);
  },
  'a refused request does not change the answer to the next one': async (visit) => {
    const token = await visit.tokenOf();
    // A cache of the host keeps no answer that another case asks for.
    const path = `${visit.transactionsPath}?contract=${randomUUID()}`;
    await visit.sendAs(undefined, 'GET', path);
    const answer = await visit.sendAs(token, 'GET', path);
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
    const token = await visit.tokenOf();
    let id: string;
    try {
      id = tokens.verify(token).sub;
    } catch (cause) {
      const { detail } = cause as AuthError;
      const fix = 'Give the tokens of login and guard.';
      throw new Violation(`These tokens refuse the token of the login (${detail}). ${fix}`, { cause });
    }
    const make = createTestTokens(tokens);
    for (const name of ['expired', 'notYet', 'wrongKey', 'wrongAlgorithm', 'tampered', 'withoutExpiry'] as const) {
      const bad = make[name]({ id, marchand: { referencl: merchant.referencl, statut: 1 } });
      demandRefusal(await visit.transactAs(bad), name === 'expired' ? EXPIRED_TOKEN : INVALID_TOKEN, LET_VERIFY);
    }
  },
};
