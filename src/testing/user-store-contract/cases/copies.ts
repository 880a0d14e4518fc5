import type { MerchantAccount } from '../../../store/user-store.js';
import { demand } from '../../messages.js';
import { merchant, neighborOf } from '../merchants.js';
import type { SeedAccount } from '../store-under-test.js';
import type { StoreCases } from '../trial.js';

/** The changes that a handler could make by mistake. A frozen account does not allow them, and passes too. */
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

export const copyCases: StoreCases = {
  'a change of a returned account does not change the stored one': async (trial) => {
    const instant = new Date('2026-01-15T12:00:00.000Z');
    const seeded = await trial.seedOne(merchant(1, { tokensValidAfter: instant }));
    const finders: Readonly<Record<string, (account: SeedAccount) => Promise<MerchantAccount>>> = {
      findById: (account) => trial.accountOf(account),
      findCredentials: async (account) => (await trial.credentialsOf(account)).account,
      ...(trial.store.findByIds && {
        findByIds: async (account) => (await trial.findByIds([account.id, neighborOf(account.id)]))[0] ?? account,
      }),
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
            'Return a new object each time, with a new marchand and a new Date.',
        );
      }
    }
  },
};
