import type { MerchantAccount } from '../store/user-store.js';
import type { SeedAccount } from './store-under-test.js';

/** Of bcrypt's length and letters, and the hash of nothing. */
export const BCRYPT_HASH = '$2y$12$eImiTXuWVxfM37uY4JANjQwUt3sTwUt3sTwUt3sTwUt3sTwUt3sT1';
/** The same for argon2id at the cost of `createPasswords`. */
export const ARGON2ID_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$dGhlIHNhbHQgaXMgbWFkZS$bWFkZVVwaB3dEaB3dEaB3dEaB3dEaB3dEaB3dEaB3dE';

/** The account with a number, which no other of the same case has in any unique member. */
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

/** Two of three members agree, so that a store with a fault in one is told of that fault alone. */
export function isAccount(found: MerchantAccount | null | undefined, seeded: SeedAccount): boolean {
  const agreeing = [
    String(found?.id) === seeded.id,
    found?.email === seeded.email,
    found?.marchand?.referencl === seeded.marchand.referencl,
  ];
  return agreeing.filter(Boolean).length >= 2;
}

/** What `seed` is given, so that a store which keeps it cannot change what is expected. */
export function copyOf(account: SeedAccount): SeedAccount {
  const { marchand, tokensValidAfter } = account;
  return {
    ...account,
    marchand: { ...marchand },
    ...(tokensValidAfter && { tokensValidAfter: new Date(tokensValidAfter) }),
  };
}

/** An id of the same kind (a number, a UUID, an ObjectId) that differs in its last digit. */
export function neighbourOf(id: string): string {
  return id.slice(0, -1) + (id.endsWith('7') ? '8' : '7');
}
