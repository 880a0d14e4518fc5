import { createHmac, createPrivateKey, createSecretKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { type BenchAlgorithm, type BenchKeys, KID } from './keys.js';

export const ISSUER = 'https://login.bench.example/';
export const AUDIENCE = 'https://api.bench.example';
const LIFETIME_SECONDS = 18_000;

export function referenceOf(merchant: number): string {
  return `BEN-${merchant}`;
}

/** Makes tokens that every guard of the comparison accepts, each one different. */
export class Mint {
  readonly #algorithm: BenchAlgorithm;
  readonly #key: KeyObject;
  readonly #header: string;

  constructor(keys: BenchKeys, algorithm: BenchAlgorithm) {
    this.#algorithm = algorithm;
    this.#key =
      algorithm === 'HS256'
        ? createSecretKey(keys.secret, 'utf8')
        : createPrivateKey(keys.pairs[algorithm].privateKey ?? '');
    this.#header = base64url(JSON.stringify({ alg: algorithm, typ: 'at+jwt', kid: KID }));
  }

  token(merchant: number, secondsAgo = 0): string {
    const iat = Math.floor(Date.now() / 1000) - secondsAgo;
    const claims = {
      iss: ISSUER,
      aud: AUDIENCE,
      sub: String(merchant),
      iat,
      exp: iat + LIFETIME_SECONDS,
      jti: randomUUID(),
      referencl: referenceOf(merchant),
    };
    const signed = `${this.#header}.${base64url(JSON.stringify(claims))}`;
    return `${signed}.${this.#signature(signed)}`;
  }

  expired(merchant: number): string {
    return this.token(merchant, LIFETIME_SECONDS + 600);
  }

  #signature(signed: string): string {
    if (this.#algorithm === 'HS256') return createHmac('sha256', this.#key).update(signed).digest('base64url');
    return sign('sha256', Buffer.from(signed), { key: this.#key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
