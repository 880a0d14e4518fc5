import type { SeedAccount } from './store-under-test.js';

/** In the form of a bcrypt hash. No password matches it. */
export const BCRYPT_HASH = '$2y$12$eImiTXuWVxfM37uY4JANjQwUt3sTwUt3sTwUt3sTwUt3sTwUt3sT1';
/** At the cost of `createPasswords`. No password matches it. */
export const ARGON2ID_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$dGhlIHNhbHQgaXMgbWFkZS$bWFkZVVwaB3dEaB3dEaB3dEaB3dEaB3dEaB3dEaB3dE';

/** Accounts with different numbers differ in every unique member. */
export function merchant(number: number, change: Partial<SeedAccount> = {}): SeedAccount {
  return {
    id: String(number),
    email: `merchant-${number}@boutique.example`,
    phone: `+22507000000${String(number).padStart(2, '0')}`,
    marchand: { referencl: `BTQ-${1000 + number}`, statut: 1 },
    disabled: false,
    tokensValidAfter: null,
    passwordHash: BCRYPT_HASH,
    ...change,
  };
}

/** Of the same kind (a number, a UUID, an ObjectId), with another last digit. */
export function neighborOf(id: string): string {
  return id.slice(0, -1) + (id.endsWith('7') ? '8' : '7');
}
