import type { LoginFacts } from '../events/report-refusal.js';
import { callStore } from '../store/call-store.js';
import { checkCredentials } from '../store/check-account.js';
import { foldIdentifier } from './fold-identifier.js';
import type { LoginIdentity } from './login-identity.js';
import type { LoginConfig } from './login-options.js';

const OTHER_IDENTIFIER =
  'A login found an account whose stored identifier is not the one that was sent, so the account counts as unknown. ' +
  'Let findCredentials return the text that its lookup matched as identifier, or rewrite the typed identifier before ' +
  'login.attempt (plus tags, phone numbers).';

const NO_DECOY =
  'A login found a stored hash of a format or cost that no decoy has, so the time of an answer can tell which emails ' +
  'exist. List a sample of each format and cost in your table as decoyHashes of createPasswords.';

/**
 * Finds an account, and the hash to compare with: the stored one, or a decoy.
 * @throws AuthError `store_unavailable` or `malformed_account`
 */
export async function findAccount(
  { userStore, storeTimeoutMs, passwords, warn }: LoginConfig,
  identifier: string,
  { folded, decoy }: LoginIdentity,
) {
  const stored = await callStore('findCredentials', storeTimeoutMs, () => userStore.findCredentials(identifier));
  checkCredentials(stored);
  const isOther = stored !== null && foldIdentifier(stored.identifier ?? stored.account.email) !== folded;
  if (isOther) warn('EMA_OTHER_IDENTIFIER', OTHER_IDENTIFIER);
  const found = isOther ? null : stored;
  const hash = passwords.hashToCompare(found?.passwordHash ?? null, decoy);
  if (!passwords.resemblesDecoy(hash)) warn('EMA_DECOY', NO_DECOY);
  if (stored === null) return { found, hash, tokensValidAfter: null, facts: {} };
  const { id, tokensValidAfter } = stored.account;
  const reason = isOther ? 'other_identifier' : hash.isDecoy ? 'no_usable_hash' : 'wrong_password';
  const facts: LoginFacts = { reason, accountId: id };
  // A copy: a store can change the object later.
  return { found, hash, tokensValidAfter: tokensValidAfter ? new Date(tokensValidAfter) : null, facts };
}
