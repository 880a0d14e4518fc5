import { LRUCache } from 'lru-cache';
import type { TokenClaims } from './rules.js';

export const DEFAULT_TOKEN_CACHE_SIZE = 10_000;

/** A token counts at least this many. One of HS256 has half as many. */
const CHARACTERS_EACH = 800;

/**
 * Keeps the claims of verified tokens (docs/interface.md 5.7). It is as safe as another verification:
 * - The checks that it saves depend only on the token's text and the key set. Each key set has its own cache.
 * - Only verified tokens enter, so a caller without a key cannot add one.
 * - The lookup compares hashes with a random seed, then the whole text: its time says nothing about other tokens.
 * @internal The declarations import nothing of lru-cache.
 */
export class ClaimsCache extends LRUCache<string, TokenClaims> {
  /** @param max tokens, at least 1 */
  constructor(max: number) {
    super({
      // Not `max`: lru-cache reserves its memory in the constructor.
      maxSize: max * CHARACTERS_EACH,
      sizeCalculation: (_claims, token) => Math.max(token.length, CHARACTERS_EACH),
    });
  }
}
