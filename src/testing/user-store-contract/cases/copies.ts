import type { MerchantAccount } from '../../../store/user-store.js';
import { demand } from '../messages.js';
import { merchant } from '../merchants.js';
import { accountsByMethod, type StoreCases } from '../trial.js';
import { MEMBERS_TO_COMPARE } from './account.js';

const MEMBERS: typeof MEMBERS_TO_COMPARE = {
  ...MEMBERS_TO_COMPARE,
  tokensValidAfter: ({ tokensValidAfter }) => tokensValidAfter?.getTime?.(),
};

const readMembers = (account: MerchantAccount) =>
  Object.entries(MEMBERS).map(([member, read]) => [member, read(account)] as const);

/** A handler could do so by mistake. A frozen account does not allow it, and passes too. */
function change(account: MerchantAccount): void {
  Reflect.set(account, 'email', 'changed@boutique.example');
  Reflect.set(account.marchand, 'referencl', 'CHANGED');
  account.tokensValidAfter?.setTime?.(0);
}

export const copyCases: StoreCases = {
  'a change of a returned account does not change the stored one': async (trial) => {
    const instant = new Date('2026-01-15T12:00:00.000Z');
    const seeded = await trial.seedOne(merchant(1, { tokensValidAfter: instant }));
    const before = new Map(readMembers(await trial.accountOf(seeded)));
    for (const [method, account] of await accountsByMethod(trial, seeded)) {
      change(account);
      for (const [member, value] of readMembers(await trial.accountOf(seeded))) {
        demand(
          value === before.get(member),
          `After ${member} of the account that ${method} returned was changed, a later lookup shows the change. ` +
            'Return a new object each time, with a new marchand and a new Date.',
        );
      }
    }
  },
};
