import { demand, show } from '../messages.js';
import { ARGON2ID_HASH, BCRYPT_HASH, merchant } from '../merchants.js';
import { accountsByMethod, type StoreCases } from '../trial.js';

const LONG_HASH = `${ARGON2ID_HASH.slice(0, -43)}${'kZ4/'.repeat(64)}`.slice(0, 255);

const HASH_COLUMN = 'Keep it in a VARCHAR(255) or TEXT column (CHAR pads), and return it as it is, as a string.';

function holds(value: unknown, secret: string, depth = 5): boolean {
  if (typeof value === 'string') return value.includes(secret);
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  return Object.values(value).some((member) => holds(member, secret, depth - 1));
}

export const hashCases: StoreCases = {
  'an account without a password has the passwordHash null': async (trial) => {
    const seeded = await trial.seedUnlessRefused(merchant(1, { passwordHash: null }));
    // A NOT NULL column cannot have such accounts.
    if (seeded === undefined) return;
    const { passwordHash } = await trial.credentialsOf(seeded);
    demand(
      passwordHash === null,
      `findCredentials(${show(seeded.email)}) resolved to a passwordHash of type ${typeof passwordHash}, where null is ` +
        'stored. Return the column as it is, null as null.',
    );
  },
  'a passwordHash is neither cut nor padded': async (trial) => {
    const hashes = [BCRYPT_HASH, ARGON2ID_HASH, LONG_HASH];
    const accounts = hashes.map((passwordHash, index) => merchant(index + 1, { passwordHash }));
    for (const account of accounts) {
      const { passwordHash } = await trial.credentialsOf(await trial.seedOne(account, HASH_COLUMN));
      const { length } = account.passwordHash ?? '';
      const actual = typeof passwordHash === 'string' ? `${passwordHash.length} characters` : typeof passwordHash;
      demand(
        passwordHash === account.passwordHash,
        `A passwordHash of ${length} characters came back changed, as ${actual}. ` + HASH_COLUMN,
      );
    }
  },
  'an account does not carry its hash': async (trial) => {
    const seeded = await trial.seedOne(merchant(1, { passwordHash: ARGON2ID_HASH }));
    for (const [method, account] of await accountsByMethod(trial, seeded)) {
      demand(
        !holds(account, ARGON2ID_HASH),
        `The account of ${method} holds the hash, and handlers get that account. Pick the members of the account, and ` +
          'return the hash only as passwordHash beside it.',
      );
    }
  },
};
