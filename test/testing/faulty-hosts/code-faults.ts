import { generateKeyPairSync } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type express from 'express';
import * as auth from '../../../src/index.js';
import type { SeedAccount, StoreUnderTest } from '../../../src/testing/index.js';
import { accountStore } from '../../helpers/accounts.js';
import { appWith, type FaultyHost } from './fault.js';

/** Makes a store for `userStoreContract` whose methods a fault replaces. */
const storeWith = (change: (store: auth.InMemoryUserStore) => Partial<auth.UserStore>) => (): StoreUnderTest => {
  const memory = new auth.InMemoryUserStore();
  const sound: auth.UserStore = {
    findCredentials: (email) => memory.findCredentials(email),
    findById: (id) => memory.findById(id),
  };
  return {
    store: { ...sound, ...change(memory) },
    seed: (accounts: readonly SeedAccount[]) => {
      for (const account of accounts) memory.put(account);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
};

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

const throwing = (construct: () => unknown) => (): unknown => construct();

/** Faults of stores, keys and options. */
export const codeFaults: readonly FaultyHost[] = [
  {
    fault: 'a store that returns undefined where there is no account',
    tool: 'userStoreContract',
    store: storeWith((memory) => ({ findById: async (id) => (await memory.findById(id)) ?? (undefined as never) })),
    says: /resolved to undefined where there is no such account\. Resolve to null/,
  },
  {
    fault: 'a store that finds the first account whatever is asked',
    tool: 'userStoreContract',
    store: storeWith((memory) => ({ findById: async () => memory.findById('1') })),
    says: /findById/,
  },
  {
    fault: 'a store that compares emails with LIKE',
    tool: 'userStoreContract',
    store: storeWith((memory) => ({
      findCredentials: (email) => memory.findCredentials(email.replaceAll('%', '').replaceAll('_', '-')),
    })),
    says: /findCredentials/,
  },
  {
    fault: 'replacePasswordHash that does not compare',
    tool: 'userStoreContract',
    store: storeWith(() => ({ replacePasswordHash: () => Promise.resolve(true) })),
    says: /replacePasswordHash/,
  },
  {
    fault: 'an id that is a number',
    tool: 'authContract',
    host: hostOver((account) => ({ ...account, id: Number(account.id) })),
    says: /got 500 malformed_account/,
  },
  {
    fault: 'disabled as 0 or 1',
    tool: 'authContract',
    host: hostOver((account) => ({ ...account, disabled: account.disabled ? 1 : 0 })),
    says: /got 500 malformed_account/,
  },
  {
    fault: 'a store that does not find disabled accounts',
    tool: 'authContract',
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
    says: /Let findCredentials return disabled accounts too/,
  },
  {
    fault: 'a secret of a few letters',
    tool: 'TypeError',
    construct: throwing(() => auth.createTokens({ secret: 'secret' })),
    says: /32 bytes/,
  },
  {
    fault: 'a secret of one letter again and again',
    tool: 'TypeError',
    construct: throwing(() => auth.createTokens({ secret: 'a'.repeat(64) })),
    says: /secret/,
  },
  {
    fault: 'app.use(requireBearer) without the call',
    tool: 'TypeError',
    construct: () => {
      const guard = auth.requireBearer as unknown as express.RequestHandler;
      guard(new IncomingMessage(new Socket()) as never, {} as never, () => undefined);
    },
    says: /requireBearer\(/,
  },
  {
    fault: 'a login with a public key alone',
    tool: 'TypeError',
    construct: throwing(() => {
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const tokens = auth.createTokens({ keys: [{ kid: '1', algorithm: 'ES256', publicKey }] });
      return auth.createLoginRouter(accountStore(), { tokens });
    }),
    says: /cannot sign\. Give the first key its privateKey/,
  },
  {
    fault: 'a store that an import cycle left undefined',
    tool: 'TypeError',
    construct: throwing(() => auth.requireBearer({ userStore: undefined as never })),
    says: /the userStore has no method findCredentials/,
  },
  {
    fault: 'an option that does not exist',
    tool: 'TypeError',
    construct: throwing(() => auth.requireBearer({ store: accountStore() } as never)),
    says: /unknown option "store"\. Known options: userStore/,
  },
  {
    fault: 'a stand-in for the tokens',
    tool: 'TypeError',
    construct: throwing(() => auth.requireBearer({ tokens: { verify: () => ({}) } as never })),
    says: /createTokens/,
  },
];
