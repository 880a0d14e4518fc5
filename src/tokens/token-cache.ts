import { LRUCache } from 'lru-cache';
import type { TokenClaims } from './rules.js';

/** The default size: the tokens of as many merchants' servers within five hours. */
export const DEFAULT_TOKEN_CACHE_SIZE = 10_000;

/** The longest text that is held for each token, in characters, on average: twice the length of a token of HS256. */
const CHARACTERS_EACH = 800;

/**
 * Keeps the claims of verified tokens, by the exact text of the token. Clients send one token for hours (docs/interface.md
 * 5.7), so a guard would verify the same signature thousands of times.
 *
 * It is as safe as verifying again. The signature and the rules on claims without the time depend only on the text of the
 * token and the key set, and each key set has its own cache. Times are checked on every use, and the account is read on
 * every request. Only good tokens are kept, so a caller without a key cannot add one. The claims are frozen. The lookup
 * compares hashes with a random seed and then the whole text, so its time says nothing about another's token.
 */
export class TokenCache {
  readonly #claims: LRUCache<string, TokenClaims> | undefined;

  /** @param max the number of tokens that are kept; the least recently used one goes first. 0 keeps none. */
  constructor(max: number) {
    if (max > 0) {
      const maxSize = max * CHARACTERS_EACH;
      this.#claims = new LRUCache({ max, maxSize, sizeCalculation: (_claims, token) => token.length });
    }
  }

  get(token: string): TokenClaims | undefined {
    return this.#claims?.get(token);
  }

  add(token: string, claims: TokenClaims): void {
    this.#claims?.set(token, claims);
  }
}
