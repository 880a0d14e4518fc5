import type * as auth from '../../../src/index.js';
import { accountStore } from '../../helpers/accounts.js';
import { appWith, type FaultyHost } from './fault.js';

/** A store for a running host, whose accounts are changed on their way out. */
const hostOver = (change: (account: auth.MerchantAccount) => unknown) => () => {
  const memory = accountStore();
  const store: auth.UserStore = {
    async findCredentials(email) {
      const found = await memory.findCredentials(email);
      return found && { ...found, account: change(found.account) as auth.MerchantAccount };
    },
    async findById(id) {
      const found = await memory.findById(id);
      return found && (change(found) as auth.MerchantAccount);
    },
  };
  return { app: appWith({ store }) };
};

/** Faults of stores. */
export const storeFaults: readonly FaultyHost[] = [
  {
    fault: 'an id that is a number',
    host: hostOver((account) => ({ ...account, id: Number(account.id) })),
    fails: ['5.4 a token is a JWT', '4 the login needs no token'],
    says: /got 500 malformed_account/,
  },
  {
    fault: 'a store that does not find disabled accounts',
    host: () => {
      const memory = accountStore();
      const store: auth.UserStore = {
        async findCredentials(email) {
          const found = await memory.findCredentials(email);
          return found?.account.disabled === true ? null : found;
        },
        findById: (id) => memory.findById(id),
      };
      return { app: appWith({ store }) };
    },
    fails: ['7 a disabled account'],
    says: /Let findCredentials return disabled accounts too/,
  },
];
