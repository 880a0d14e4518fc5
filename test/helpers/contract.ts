import type { HostUnderTest } from '../../src/testing/index.js';
import { AWA, FERMEE, KOFI, PASSWORD } from './accounts.js';

/** Describes a host with the accounts of `accountStore()` to `authContract`. */
export const HOST: Pick<HostUnderTest, 'merchant' | 'otherMerchant' | 'disabledMerchant' | 'transactions'> = {
  merchant: { email: AWA.email, password: PASSWORD, referencl: AWA.marchand.referencl },
  otherMerchant: { email: KOFI.email, password: PASSWORD, referencl: KOFI.marchand.referencl },
  disabledMerchant: { email: FERMEE.email, password: PASSWORD },
  transactions: { body: (refercence_cl) => ({ refercence_cl, amount: 1500, currency: 'XOF' }) },
};
