import { type BenchAlgorithm, type BenchKeys, generateKeys } from './keys.js';
import { Mint, referenceOf } from './mint.js';

/** What a request carries as its token. */
export type TokenKind = 'good' | 'missing' | 'garbage' | 'bad signature' | 'expired';

/** One token over and over, 10,000 in turn, or never one that the server has seen. */
export type Variety = 'repeated' | 'rotation' | 'new';

/** How many accounts the servers have, and how many tokens there are in rotation. */
export const MERCHANTS = 10_000;

/** A request as it is sent, and how its answer ends when it is let through. */
export interface Prepared {
  readonly bytes: Buffer;
  readonly answer: string;
}

/** What `prepareRequests` is to make. */
export interface Wanted {
  readonly keys: BenchKeys;
  readonly algorithm: BenchAlgorithm;
  readonly kind: TokenKind;
  /** How many different tokens, each of the next account. */
  readonly count: number;
  /** How far the accounts are spread; account ids are 1 to this. Default `MERCHANTS`. */
  readonly accounts?: number;
}

export function prepareRequests({ keys, algorithm, kind, count, accounts = MERCHANTS }: Wanted): Prepared[] {
  const token = tokenMaker(keys, algorithm, kind);
  const step = Math.max(1, Math.floor(accounts / count));
  return Array.from({ length: count }, (_, number) => {
    const merchant = ((number * step) % accounts) + 1;
    return prepare(merchant, token(merchant));
  });
}

function tokenMaker(
  keys: BenchKeys,
  algorithm: BenchAlgorithm,
  kind: TokenKind,
): (merchant: number) => string | undefined {
  const mint = new Mint(kind === 'bad signature' ? generateKeys() : keys, algorithm);
  const makers: Record<TokenKind, (merchant: number) => string | undefined> = {
    good: (merchant) => mint.token(merchant),
    missing: () => undefined,
    garbage: () => 'this-is-no-token',
    'bad signature': (merchant) => mint.token(merchant),
    expired: (merchant) => mint.expired(merchant),
  };
  return makers[kind];
}

function prepare(merchant: number, token: string | undefined): Prepared {
  const reference = referenceOf(merchant);
  const json = JSON.stringify({ refercence_cl: reference, amount: 1500, currency: 'XOF', phone: '+22900000000' });
  const head = [
    'POST /v1/transactions HTTP/1.1',
    'Host: 127.0.0.1',
    'Accept: application/json',
    'User-Agent: bench',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(json)}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
  ];
  return {
    bytes: Buffer.from(`${head.join('\r\n')}\r\n\r\n${json}`),
    answer: JSON.stringify({ refercence_cl: reference }),
  };
}
