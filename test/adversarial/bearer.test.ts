import { expect } from 'chai';
import fc from 'fast-check';
import { AWA, FERMEE, KOFI, withPassword } from '../helpers/accounts.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { type AuthorizationCase, bearerOutcomes, DOWN_ID, type Outcome, RECALLED } from '../helpers/oracle.js';
import { servePayments } from '../helpers/payments.js';
import { craftToken, readToken } from '../helpers/tokens.js';
import { createSender, outcomeOf, PROPERTY_TIMEOUT_MS, tryOut } from '../helpers/trials.js';

const SECRET = 'the secret of the property tests, 32 bytes or more';
const NOW = 1_800_000_000;
/** The `tokensValidAfter` of the recalled account, in milliseconds. */
const REVOKED_AT = (NOW - RECALLED.revokedSeconds) * 1000;

/** Gives mostly the right value, so that few rules are broken at once. */
function mostly(right: unknown, ...wrong: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: fc.constant(right), weight: 24 }, { arbitrary: fc.constantFrom(...wrong), weight: 1 });
}

const ABSENT = undefined;
const headers = (kid: string) =>
  fc.record({
    alg: mostly('HS256', 'HS384', 'HS512', 'RS256', 'ES256', 'none', 'None', 'hs256', ABSENT, null, ['HS256']),
    typ: fc.oneof(
      {
        arbitrary: fc.constantFrom<unknown>('at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/At+Jwt'),
        weight: 24,
      },
      { arbitrary: fc.constantFrom<unknown>('JWT', 'at+jwt ', 'x/at+jwt', '', ABSENT, null, ['at+jwt'], 1), weight: 1 },
    ),
    kid: mostly(kid, `${kid} `, kid.toLowerCase(), '', '__proto__', 'constructor', '../../dev/null', ABSENT, null, [
      kid,
    ]),
    crit: mostly(ABSENT, [], ['exp'], ['b64'], null),
    jku: mostly(ABSENT, 'http://127.0.0.1:9/jwks.json'),
    jwk: mostly(ABSENT, { kty: 'oct', k: Buffer.from('any').toString('base64url') }),
  });

const seconds = fc.oneof(
  { arbitrary: fc.constantFrom(0, 1, -1, 17_999, 18_000), weight: 4 },
  { arbitrary: fc.integer({ min: -20_000, max: 20_000 }), weight: 1 },
);
const issuedAgo = fc.oneof(
  { arbitrary: fc.constantFrom(0, 1, 38, 39, 39, 17_999, -59, -60), weight: 20 },
  { arbitrary: fc.constantFrom(40, 40, 41, 100, 18_000, 18_001, -61, -3600), weight: 8 },
  { arbitrary: seconds, weight: 1 },
);
const lifetimes = fc.oneof(
  { arbitrary: fc.constantFrom(18_000, 18_000, 17_999, 18_000.5 - 0.5), weight: 20 },
  { arbitrary: fc.constantFrom(18_001, 18_000.25, 36_000, 0, -1), weight: 2 },
  { arbitrary: seconds, weight: 1 },
);
const claims = fc
  .record({
    iss: mostly('express-merchant-auth/merchant', 'express-merchant-auth/Merchant', '', ABSENT, null, [
      'express-merchant-auth/merchant',
    ]),
    aud: mostly(ABSENT, 'anyone', ['anyone'], ''),
    sub: fc.oneof(
      { arbitrary: fc.constantFrom<unknown>(AWA.id, KOFI.id), weight: 12 },
      {
        arbitrary: fc.constantFrom<unknown>(
          RECALLED.id,
          RECALLED.id,
          RECALLED.id,
          FERMEE.id,
          DOWN_ID,
          '99',
          '__proto__',
        ),
        weight: 4,
      },
      { arbitrary: fc.constantFrom<unknown>('', ABSENT, null, 1, ['1'], { $ne: null }), weight: 1 },
    ),
    referencl: mostly('BTQ-1001', 'CNT-1002', '', ABSENT, null, 1001, ['BTQ-1001']),
    ago: issuedAgo,
    lifetime: lifetimes,
    nbf: fc.oneof({ arbitrary: fc.constant(ABSENT), weight: 8 }, fc.constantFrom(0, 59, 60, 61, -100)),
    iat: mostly('computed', ABSENT, null, String(NOW)),
    exp: mostly('computed', ABSENT, null, String(NOW + 100)),
    jti: mostly('id', ABSENT),
    validAfter: fc.oneof(
      { arbitrary: fc.constant<unknown>(ABSENT), weight: 20 },
      { arbitrary: fc.constantFrom<unknown>(REVOKED_AT, REVOKED_AT, REVOKED_AT - 1, REVOKED_AT + 1, 0), weight: 8 },
      { arbitrary: fc.constantFrom<unknown>(0.5, null, '', String(REVOKED_AT), [REVOKED_AT]), weight: 1 },
    ),
  })
  .map(({ ago, lifetime, nbf, iat, exp, validAfter, ...rest }) => ({
    ...rest,
    iat: iat === 'computed' ? NOW - ago : iat,
    exp: exp === 'computed' ? NOW - ago + lifetime : exp,
    ...(nbf !== undefined && { nbf: NOW + nbf }),
    ...(validAfter !== undefined && { valid_after: validAfter }),
  }));
const payloads = fc.oneof(
  { arbitrary: claims.map((value): unknown => value), weight: 40 },
  { arbitrary: fc.constantFrom<unknown>([], null, 1, 'text', [{ sub: AWA.id }]), weight: 1 },
);

/** A change of one character, a cut, or a character more. */
const damages = fc.record({
  kind: fc.constantFrom('replace', 'cut', 'add', 'swap'),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  by: fc.integer({ min: 1, max: 63 }),
});
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function damage(token: string, { kind, at, by }: { kind: string; at: number; by: number }): string {
  const parts = token.split('.');
  if (kind === 'swap') return [parts[1], parts[0], parts[2]].join('.');
  const index = Math.floor(at * token.length);
  const before = token.slice(0, index);
  const after = token.slice(index + 1);
  const code = BASE64URL.indexOf(token[index] ?? '');
  if (kind === 'cut') return before + after;
  if (kind === 'add') return before + (BASE64URL[by] ?? '') + token.slice(index);
  return before + (code < 0 ? 'A' : (BASE64URL[(code + by) % 64] ?? '')) + after;
}

const authorizations: fc.Arbitrary<AuthorizationCase> = fc.record({
  scheme: fc.oneof(
    { arbitrary: fc.constantFrom('Bearer', 'bearer', 'BEARER', 'bEaReR'), weight: 20 },
    { arbitrary: fc.constantFrom(undefined, 'Basic', 'Bearerx', 'JWT', 'Token', 'x-bearer'), weight: 1 },
  ),
  separator: fc.oneof({ arbitrary: fc.constant(' '), weight: 24 }, fc.constantFrom('  ', '\t', '', '\u00a0', '=', ':')),
  trailer: fc.oneof(
    { arbitrary: fc.constant(''), weight: 24 },
    fc.constantFrom(' x', ',', ', Basic eA==', '\t.', '\u00a0', '"'),
  ),
  isRepeated: fc.nat(24).map((die) => die === 0),
});

const MET: readonly Outcome[] = [
  '200',
  '401 missing_token',
  '401 invalid_token',
  '401 expired_token',
  '401 revoked_token',
  '503 store_unavailable',
];

onEachExpress('any bearer token', (framework) => {
  const { auth } = framework;
  const tokens = auth.createTokens({ secret: SECRET, clock: () => NOW * 1000 });
  const kid = String(readToken(tokens.issue(AWA)).header['kid']);
  const cases = fc.record({
    authorization: authorizations,
    header: headers(kid),
    payload: payloads,
    key: fc.oneof({ arbitrary: fc.constant(SECRET), weight: 24 }, fc.constantFrom(undefined, '', kid, `${SECRET} `)),
    damage: damages,
    isDamaged: fc.nat(15).map((die) => die === 0),
    second: fc.constantFrom('same', 'Basic eA==', ''),
    stray: fc.constantFrom('', '?access_token=', '?token='),
  });

  it('is answered as the token rules and its account demand, and never appears in the answer', async function () {
    this.timeout(PROPERTY_TIMEOUT_MS);
    const { client, store } = await servePayments(framework, { guard: { tokens } });
    store.put(withPassword({ ...RECALLED, tokensValidAfter: new Date(REVOKED_AT) }));
    const find = store.findById.bind(store);
    store.findById = (id) => (id === DOWN_ID ? Promise.reject(new Error('down')) : find(id));
    const send = createSender(client.port);
    const good = tokens.issue(AWA);

    await tryOut(
      cases,
      MET,
      async (generated) => {
        const { authorization, header, payload, key, second, stray } = generated;
        const { scheme, separator, trailer, isRepeated } = authorization;
        const whole = craftToken({ header, payload, ...(key !== undefined && { key }), algorithm: 'HS256' });
        const token = generated.isDamaged ? damage(whole, generated.damage) : whole;
        const value = `${scheme ?? ''}${separator}${token}${trailer}`;
        const names = ['Authorization', 'authorization'];
        const values = scheme === undefined ? [] : isRepeated ? [value, second === 'same' ? value : second] : [value];
        const reply = await send({
          method: 'GET',
          path: `/v1/guarded${stray === '' ? '' : stray + good}`,
          headers: values.map((sent, i) => [names[i] ?? '', sent] as const),
        });

        const given = { header: definedOf(header), payload: jsonOf(payload), isDamaged: token !== whole };
        const expected = bearerOutcomes(
          authorization,
          { ...given, isSignedByOwnKey: key === SECRET },
          { kid, now: NOW },
        );
        const outcome = outcomeOf(
          reply,
          [token, good].filter((secret) => secret.length > 10),
        );
        expect(outcome, value).to.be.oneOf(expected);
        if (outcome === '200') {
          const { id } = JSON.parse(reply.text) as { id: unknown };
          expect(id).to.equal((payload as { sub: unknown }).sub);
        }
        return outcome;
      },
      framework.major,
    );
  });
});

function definedOf(value: object): Record<string, unknown> {
  return jsonOf(value) as Record<string, unknown>;
}

function jsonOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
