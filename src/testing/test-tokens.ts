import { createHmac, createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { checkCopy } from '../base/another-copy.js';
import type { MerchantAccount } from '../store/user-store.js';
import type { Algorithm } from '../tokens/algorithms.js';
import { TOKEN_LIFETIME_SECONDS } from '../tokens/rules.js';
import { signClaims, type SigningKey } from '../tokens/signing.js';
import { Tokens } from '../tokens/tokens.js';

/** Not `TokenSubject`, because declarations of a host could not name that type. */
type TokenAccount = Pick<MerchantAccount, 'id' | 'marchand' | 'tokensValidAfter'>;

/** Makes a token of an account. */
type MakeToken = (account: TokenAccount) => string;

/** Makes good tokens, and tokens that are wrong in exactly one way. */
export interface TestTokens {
  /** Makes a good token, as after a login. */
  readonly forAccount: MakeToken;
  /**
   * Makes a token from a login before the account was logged out everywhere. A guard with a store answers 401
   * `revoked_token`, and a guard without a store accepts it. Set the account's `tokensValidAfter` to now in the store,
   * then read the account again.
   * @throws TypeError when `tokensValidAfter` is not set, or is five hours old, because no live token is then revoked
   */
  readonly revoked: MakeToken;
  /**
   * Makes a good token of another merchant, who is not in any store. To a request with the reference of the given
   * account, a guard without a store answers 403 `foreign_reference`, and one with a store 401 `revoked_token`. For a
   * 403 from a guard with a store, use `forAccount` with another account of that store.
   */
  readonly foreign: MakeToken;
  /** Makes a token that expired a second ago. The guard answers 401 `expired_token`. */
  readonly expired: MakeToken;
  /** Makes a token with the `iss` of another realm, from the right key. The guard answers 401 `invalid_token`. */
  readonly otherRealm: MakeToken;
  /**
   * Makes a token that is valid in an hour, by its `nbf` (RFC 7519 section 4.1.5). The guard answers 401
   * `invalid_token`.
   */
  readonly notYet: MakeToken;
  /** Makes a token that a key other than that of its `kid` signed. The guard answers 401 `invalid_token`. */
  readonly wrongKey: MakeToken;
  /**
   * Makes a token with an `alg` other than that of its key, signed by HMAC with the secret or the text of the public
   * key. The guard answers 401 `invalid_token`.
   */
  readonly wrongAlgorithm: MakeToken;
  /** Makes a token whose `referencl` was changed after signing. The guard answers 401 `invalid_token`. */
  readonly tampered: MakeToken;
  /** Makes a token without `exp`. The guard answers 401 `invalid_token`. */
  readonly withoutExpiry: MakeToken;
}

/** Just issued, so `iat` is now. */
type Claims = Readonly<Record<string, unknown> & { iat: number; iss: string }>;
type Change = Readonly<Record<string, unknown>>;

/**
 * Makes good and bad tokens for a host's tests, with the keys and the clock of `tokens`, those of the guard.
 * @throws TypeError when `tokens` cannot sign, or is not what `createTokens` returned
 */
export function createTestTokens(tokens: Tokens): TestTokens {
  checkCopy('createTestTokens: tokens', tokens, Tokens);
  if (!(tokens instanceof Tokens)) throw new TypeError('createTestTokens: give what createTokens(...) returned.');
  const signingKey = () => tokens.requireSigningKey('createTestTokens');
  signingKey();

  // Making an RSA key takes a tenth of a second or more.
  const otherKeys = new WeakMap<KeyObject, KeyObject>();
  const otherKey = (key: SigningKey): SigningKey => {
    const other = otherKeys.get(key.signingKey) ?? generateLike(key.signingKey);
    otherKeys.set(key.signingKey, other);
    return { ...key, signingKey: other };
  };

  const signed =
    (change: (claims: Claims, account: TokenAccount) => Change, keyOf = (key: SigningKey) => key): MakeToken =>
    (account) => {
      const [, payload = ''] = tokens.issue(account).split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Claims;
      return signClaims(keyOf(signingKey()), { ...claims, ...change(claims, account) });
    };

  return {
    forAccount: (account) => tokens.issue(account),
    revoked: signed(revokedClaims),
    foreign: signed((_claims, { id, marchand }) => ({
      sub: `${id}-foreign`,
      referencl: `${marchand.referencl}-foreign`,
    })),
    expired: signed(({ iat }) => ({ iat: iat - 1 - TOKEN_LIFETIME_SECONDS, exp: iat - 1 })),
    otherRealm: signed(({ iss }) => ({ iss: `${iss}-of-another-realm` })),
    notYet: signed(({ iat }) => ({ nbf: iat + 3600 })),
    wrongKey: signed(() => ({}), otherKey),
    wrongAlgorithm: (account) => withOtherAlgorithm(tokens.issue(account), signingKey()),
    tampered(account) {
      const [header, payload = '', signature] = tokens.issue(account).split('.');
      return [header, changed(payload, { referencl: `${account.marchand.referencl}-tampered` }), signature].join('.');
    },
    withoutExpiry: signed(() => ({ exp: undefined })),
  };
}

/** As of a login right before `tokensValidAfter` was set for the first time. */
function revokedClaims({ iat }: Claims, { tokensValidAfter }: TokenAccount): Change {
  const issued = Math.min(iat, Math.floor((tokensValidAfter?.getTime() ?? -Infinity) / 1000));
  if (issued + TOKEN_LIFETIME_SECONDS > iat) {
    return { iat: issued, exp: issued + TOKEN_LIFETIME_SECONDS, valid_after: undefined };
  }
  throw new TypeError(
    'createTestTokens: revoked needs an account whose tokensValidAfter is set and less than five hours old. ' +
      'Set it to now in the store, then read the account again.',
  );
}

function changed(part: string, change: object): string {
  const members = JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as object;
  return Buffer.from(JSON.stringify({ ...members, ...change }), 'utf8').toString('base64url');
}

function generateLike(key: KeyObject): KeyObject {
  if (key.type === 'secret') return createSecretKey(randomBytes(64));
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {};
  const options = { namedCurve, modulusLength } as { namedCurve: string };
  return generateKeyPairSync(key.asymmetricKeyType as 'ec', options).privateKey;
}

/** For a key pair this is the attack of RFC 8725 section 2.1, with the public key as the secret. */
function withOtherAlgorithm(token: string, { algorithm, signingKey, verifyingKey }: SigningKey): string {
  const [header = '', payload] = token.split('.');
  const alg: Algorithm = algorithm === 'HS512' ? 'HS256' : 'HS512';
  const input = `${changed(header, { alg })}.${payload}`;
  const secret = signingKey.type === 'secret' ? signingKey : verifyingKey.export({ type: 'spki', format: 'pem' });
  return `${input}.${createHmac(`sha${alg.slice(2)}`, secret)
    .update(input)
    .digest('base64url')}`;
}
