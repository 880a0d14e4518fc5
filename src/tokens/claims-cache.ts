import { LRUCache } from 'lru-cache';
import type { TokenClaims } from './rules.js';

/** The default number of tokens, which is enough for 10,000 servers with one token each. */
export const DEFAULT_TOKEN_CACHE_SIZE = 10_000;

/** The characters that a token counts at least. A token of HS256 is half as long. */
const CHARACTERS_EACH = 800;

/**
 * Keeps the claims of verified tokens, by the exact text of the token, because clients send one token for hours
 * (docs/interface.md 5.7). The cache is as safe as another verification:
 * - The checks that it saves depend only on the text of the token and the key set. Each key set has its own cache.
 * - It keeps only tokens with a good signature and good claims, so a caller without a key cannot add one.
 * - The lookup compares hashes with a random seed, then the whole text, so its time says nothing about other tokens.
 * @internal The declarations import nothing of lru-cache.
 */
export class ClaimsCache extends LRUCache<string, TokenClaims> {
  /** @param max the number of tokens that are kept, at least 1 */
  constructor(max: number) {
    super({
      // Not `max`, for whose tokens lru-cache reserves memory in its constructor.
      maxSize: max * CHARACTERS_EACH,
      sizeCalculation: (_claims, token) => Math.max(token.length, CHARACTERS_EACH),
    });
  }
}
