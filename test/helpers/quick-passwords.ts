import {
  InMemoryUserStore,
  type MerchantAccount,
  type Passwords,
  type PasswordsOptions,
  type UserStore,
} from '../../src/index.js';
import { AWA, FERMEE, KOFI, PASSWORD } from './accounts.js';

/** A hash that `quickPasswords` compares without computing anything: `PASSWORD` matches it. */
export const QUICK_HASH = `quick:${PASSWORD}`;

/** Passwords over a format that costs nothing, and a record of its comparisons. */
export interface QuickPasswords {
  readonly passwords: Passwords;
  /** The passwords that were compared, even with a decoy. */
  readonly compared: string[];
  /** Compares. A test can replace it. */
  verify: (password: string, hash: string) => Promise<boolean>;
  /** Lets comparisons wait until the returned function runs. */
  readonly hold: () => () => void;
}

/** Creates passwords that compare with hashes `quick:...` only. A comparison costs nothing. */
export function quickPasswords(
  createPasswords: (options: PasswordsOptions) => Passwords,
  options: PasswordsOptions = {},
): QuickPasswords {
  const quick: QuickPasswords = {
    compared: [],
    verify: (password, hash) => Promise.resolve(hash === `quick:${password}`),
    hold() {
      const { verify } = quick;
      let end: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (end = resolve));
      quick.verify = (password, hash) => held.then(() => verify(password, hash));
      return () => {
        quick.verify = verify;
        end();
      };
    },
    passwords: createPasswords({
      formats: [
        {
          name: 'quick',
          identify: (hash) => hash.startsWith('quick:'),
          verify(password, hash) {
            quick.compared.push(password);
            return quick.verify(password, hash);
          },
        },
      ],
      decoyHashes: ['quick:'],
      ...options,
    }),
  };
  return quick;
}

/** Creates a store of accounts with `QUICK_HASH`. It replaces no hash, because a new hash would not be quick. */
export function quickAccountStore(accounts: readonly MerchantAccount[] = [AWA, KOFI, FERMEE]): UserStore {
  const store = new InMemoryUserStore(accounts.map((account) => ({ ...account, passwordHash: QUICK_HASH })));
  return {
    findCredentials: (identifier) => store.findCredentials(identifier),
    findById: (id) => store.findById(id),
  };
}
