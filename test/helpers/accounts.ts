import { type InMemoryAccount, InMemoryUserStore, type MerchantAccount } from '../../src/index.js';

/** The password of every account here, hashed with argon2id at the default cost. */
export const PASSWORD = 'baobab-2026';
export const PASSWORD_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$dLCcEdRBT6OqEUPAem0dLg$qYUHUKbQJ9WwiQpXxx4jjEm/rvqozKwC2ruur3ImQx4';
export const WRONG = 'not the password';

export const AWA = {
  id: '1',
  email: 'awa@boutique.example',
  phone: '+2250700000001',
  marchand: { referencl: 'BTQ-1001', statut: 1 },
  disabled: false,
} satisfies MerchantAccount;

export const KOFI = {
  id: '2',
  email: 'kofi@cantine.example',
  phone: '+2250700000002',
  marchand: { referencl: 'CNT-1002', statut: 1 },
  disabled: false,
} satisfies MerchantAccount;

export const FERMEE = {
  id: '3',
  email: 'fermee@ancien.example',
  phone: '+2250700000003',
  marchand: { referencl: 'ANC-1003', statut: 0 },
  disabled: true,
} satisfies MerchantAccount;

/** An account as `InMemoryUserStore` takes it, with `PASSWORD`. */
export function withPassword(account: InMemoryAccount) {
  return { ...account, passwordHash: PASSWORD_HASH };
}

export function accountStore(): InMemoryUserStore {
  return new InMemoryUserStore([AWA, KOFI, FERMEE].map(withPassword));
}
