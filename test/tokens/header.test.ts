import { expect } from 'chai';
import { keyFor } from '../../src/tokens/header.js';
import { keyRing } from '../../src/tokens/keys.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { SECRET } from '../helpers/keys.js';
import { loadAgain } from '../helpers/load-again.js';
import { craftToken, expectInvalidToken, UNKNOWN_KID } from '../helpers/tokens.js';

const RULES = { realm: 'back office' };
const HEADER = { alg: 'HS256', typ: 'at+jwt', kid: 'k1' };

describe('keyFor', () => {
  beforeEach(() => void collectWarnings());

  const ring = keyRing([
    { kid: 'k1', algorithm: 'HS256', secret: SECRET },
    { kid: 'k2', algorithm: 'HS512', secret: SECRET.repeat(2) },
  ]);
  const tokenWith = (header: unknown) => craftToken({ header, payload: {}, key: SECRET, algorithm: 'HS256' });
  const keyOf = (change: object) => keyFor(tokenWith({ ...HEADER, ...change }), ring, RULES);

  function expectRefused(reason: string, ...presented: readonly unknown[]): void {
    for (const token of presented) {
      expectInvalidToken(RULES.realm, () => keyFor(token as string, ring, RULES), reason);
    }
  }

  /** Asserts that each of these values of a member is refused. */
  function expectRefusedMember(name: string, values: readonly unknown[], reason: string): void {
    expectRefused(reason, ...values.map((value) => tokenWith({ ...HEADER, [name]: value })));
  }

  it('returns the key that the header names', () => {
    expect(keyOf({})).to.equal(ring.get('k1'));
    expect(keyOf({ alg: 'HS512', kid: 'k2' })).to.equal(ring.get('k2'));
  });

  it('accepts nothing but the text of a compact JWS, with nothing around it', () => {
    const token = tokenWith(HEADER);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const values: unknown[] = [
      undefined,
      null,
      5,
      {},
      [token],
      { toString: () => token },
      Object(token),
      Buffer.from(token),
    ];
    const cut = ['', '.', '..', 'a.b', header, `${header}.${payload}.`, `${header}..${signature}`, `.${payload}.a`];
    const junk = ['.', '.x', '=', ' ', '\n', '\r\n', '\0', '"', ',', 'é', '+', '/', '.e30', '.e30.e30'];
    const around = junk.flatMap((text) => [token + text, text + token]);
    expectRefused(
      'it is not a compact JWS',
      ...values,
      ...cut,
      ...around,
      `Bearer ${token}`,
      token.replace('.', '.\n'),
    );
  });

  it('requires a JSON object in UTF-8', () => {
    const bytes = (encoding: BufferEncoding) => Buffer.from(JSON.stringify({ ...HEADER, x: '\xe9' }), encoding);
    expectRefused(
      'its header is not a JSON object in UTF-8',
      ...['null', '5', '"HS256"', 'true', '{', 'text'].map(tokenWith),
      ...[bytes('latin1'), bytes('utf16le')].map((header) => `${header.toString('base64url')}.e30.e30`),
    );
    expectRefused('its typ is not at+jwt', tokenWith('[]'), tokenWith('{}'));
  });

  it('refuses crit with any value', () => {
    expectRefusedMember('crit', [['exp'], ['b64'], [], '', null, false], 'its header has crit');
  });

  it('accepts the typ at+jwt in any case, with and without application/, and no other', () => {
    for (const typ of ['at+jwt', 'At+JWT', 'application/at+jwt', 'Application/AT+JWT']) {
      expect(keyOf({ typ })).to.equal(ring.get('k1'));
    }
    const types = [undefined, null, '', 'JWT', 'application/jwt', 'at-jwt', 'at+jwt ', ' at+jwt', 'x/at+jwt'];
    const others = ['at+jwt\n', 'at+jwtx', '/at+jwt', 'logout+jwt', ['at+jwt'], 5, {}];
    expectRefusedMember('typ', [...types, ...others], 'its typ is not at+jwt');
  });

  it('requires the kid of a key of the ring', () => {
    const kids = [undefined, null, '', 'k3', 0, ['k1'], { k1: 1 }, 'K1', 'k1 ', 'constructor', '__proto__', 'size'];
    expectRefusedMember('kid', kids, UNKNOWN_KID);
    expectRefused(UNKNOWN_KID, tokenWith({ typ: 'at+jwt', kid: 'toString' }));
  });

  it('warns of an unknown kid once in a process', () => {
    const fresh = loadAgain<typeof import('../../src/tokens/header.js')>(require.resolve('../../src/tokens/header.js'));
    const warnings = collectWarnings();
    for (const kid of ['k3', 'k4']) {
      expectInvalidToken(RULES.realm, () => fresh.keyFor(tokenWith({ ...HEADER, kid }), ring, RULES), UNKNOWN_KID);
    }
    expect(warnings).to.deep.equal([
      'A token was refused, because its kid names none of the keys of this process. If it came from your own login, ' +
        'login and guard have different secrets or keys, for example one with quotes or a line end around it. ' +
        'Anybody can cause this warning with a token of another service.',
    ]);
  });

  it('requires the alg of that key, and never accepts none', () => {
    const names = ['none', 'None', 'NONE', 'hs256', 'HS256 ', 'HS384', 'HS512', 'RS256', 'ES256', '', 'constructor'];
    const values = [...names, '__proto__', undefined, null, 256, ['HS256'], { alg: 'HS256' }];
    expectRefusedMember('alg', values, "its alg is not its key's algorithm");
  });
});
