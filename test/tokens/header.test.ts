import { expect } from 'chai';
import { keyFor } from '../../src/tokens/header.js';
import { keyRing } from '../../src/tokens/keys.js';
import type { TokenRules } from '../../src/tokens/rules.js';
import { craftToken, expectInvalidToken } from '../helpers/tokens.js';

const SECRET = 'mangrove-mangrove-mangrove-32-by';
const RULES: TokenRules = { realm: 'back office', issuer: 'me', audience: undefined };

describe('keyFor', () => {
  const ring = keyRing([
    { kid: 'k1', algorithm: 'HS256', secret: SECRET },
    { kid: 'k2', algorithm: 'HS512', secret: SECRET.repeat(2) },
  ]);
  const HEADER = { alg: 'HS256', typ: 'at+jwt', kid: 'k1' };
  const tokenWith = (header: unknown) => craftToken({ header, payload: {}, key: SECRET, algorithm: 'HS256' });

  it('returns the key that the header names', () => {
    expect(keyFor(tokenWith(HEADER), ring, RULES)).to.equal(ring.get('k1'));
    expect(keyFor(tokenWith({ ...HEADER, alg: 'HS512', kid: 'k2' }), ring, RULES)).to.equal(ring.get('k2'));
  });

  it('throws invalid_token for each broken rule, with the realm, and with the reason in the detail', () => {
    for (const [header, reason] of [
      [{ ...HEADER, crit: ['b64'] }, 'its header has crit'],
      [{ ...HEADER, crit: undefined, typ: 'JWT' }, 'its typ is not at+jwt'],
      [{ ...HEADER, kid: 'k3' }, 'its kid names none of these keys, as when login and guard have different secrets'],
      [{ ...HEADER, alg: 'HS512' }, "its alg is not its key's algorithm"],
      ['not JSON', 'its header is not a JSON object in UTF-8'],
      ['null', 'its header is not a JSON object in UTF-8'],
    ] as const) {
      expectInvalidToken(RULES.realm, () => keyFor(tokenWith(header), ring, RULES), reason);
    }
    const latin = Buffer.from('{"alg":"HS256","typ":"at+jwt","kid":"k1","x":"\xe9"}', 'latin1').toString('base64url');
    expectInvalidToken(
      RULES.realm,
      () => keyFor(`${latin}.e30.e30`, ring, RULES),
      'its header is not a JSON object in UTF-8',
    );
    for (const text of ['', 'a.b', 'a.b.c.d', 5 as never]) {
      expectInvalidToken(RULES.realm, () => keyFor(text, ring, RULES), 'it is not a compact JWS');
    }
  });
});
