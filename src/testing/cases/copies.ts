import type { MerchantAccount } from '../../store/user-store.js';
import { merchant } from '../merchants.js';
import { demand } from '../messages.js';
import type { SeedAccount } from '../store-under-test.js';
import type { CaseDefinition } from '../trial.js';

/** What a handler might do by mistake. Objects that are frozen do not let it, which is as good. */
const CHANGES: Readonly<Record<string, (account: MerchantAccount) => unknown>> = {
  disabled: (account) => Reflect.set(account, 'disabled', true),
  email: (account) => Reflect.set(account, 'email', 'changed@boutique.example'),
  'marchand.referencl': ({ marchand }) => Reflect.set(marchand, 'referencl', 'CHANGED'),
  tokensValidAfter: ({ tokensValidAfter }) => tokensValidAfter?.setTime?.(0),
};

const READ: Readonly<Record<string, (account: MerchantAccount) => unknown>> = {
  disabled: ({ disabled }) => disabled,
  email: ({ email }) => email,
  'marchand.referencl': ({ marchand }) => marchand?.referencl,
  tokensValidAfter: ({ tokensValidAfter }) => tokensValidAfter?.getTime?.(),
};

export const copyCases: readonly CaseDefinition[] = [
  {
    name: 'what is found is a copy, which can be changed without changing what is stored',
    async check(trial) {
      const instant = new Date('2026-01-15T12:00:00.000Z');
      const seeded = await trial.seedOne(merchant(1, { tokensValidAfter: instant }));
      const finders: Readonly<Record<string, (account: SeedAccount) => Promise<MerchantAccount>>> = {
        findById: (account) => trial.accountOf(account),
        findCredentials: async (account) => (await trial.credentialsOf(account)).account,
      };
      const before = await trial.accountOf(seeded);
      const expected = Object.entries(READ).map(([member, read]) => [member, read(before), read] as const);
      for (const [method, find] of Object.entries(finders)) {
        const account = await find(seeded);
        for (const change of Object.values(CHANGES)) change(account);
        const after = await trial.accountOf(seeded);
        for (const [member, value, read] of expected) {
          demand(
            read(after) === value,
            `After ${member} of the account that ${method} returned was changed, a later lookup shows the change. ` +
              'Return a new object each time, with a marchand and a Date of its own.',
          );
        }
      }
    },
  },
];
