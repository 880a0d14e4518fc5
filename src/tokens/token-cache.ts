import { LRUCache } from 'lru-cache';
import type { TokenClaims } from './claims.js';

/** How many tokens are remembered by default: those of as many merchants' servers within five hours. */
export const DEFAULT_REMEMBERED_TOKENS = 10_000;

/** The most text that is held for each of them, in characters, on average: twice what a token of HS256 has. */
const CHARACTERS_EACH = 800;

/**
 * The claims of tokens whose signature was verified under one key ring, by the exact text of the token. Clients send one
 * token for hours (SPEC.md 5.7), so a guard would verify the same signature thousands of times.
 *
 * Why this is as safe as verifying again: whether a signature verifies, and every rule on claims that knows no time,
 * depend on nothing but the token's text and the ring. A ring has a memory of its own, which goes with it. What depends
 * on the time is checked on every use by `timesError`, and the account is read on every request. Only tokens that were
 * good are remembered, so that nobody without a key can put anything in; the claims are frozen, so that nobody can
 * change them. Two texts are told apart by a hash whose seed each process draws, then in full, so that the time that it
 * takes tells a guesser nothing of another's token.
 */
export class VerifiedTokens {
  readonly #claims: LRUCache<string, TokenClaims> | undefined;

  /** @param max how many are held, the one unused for longest going first; 0 for none */
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
