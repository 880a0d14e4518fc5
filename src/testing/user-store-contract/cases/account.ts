import type { MerchantAccount } from '../../../store/user-store.js';
import { demand, leaveCaseOut, show } from '../messages.js';
import { merchant } from '../merchants.js';
import type { SeedAccount } from '../store-under-test.js';
import type { StoreCases, Trial } from '../trial.js';

/** The members without a case elsewhere. */
type MemberName =
  | Exclude<keyof MerchantAccount, 'id' | 'email' | 'marchand' | 'tokensValidAfter' | 'allowedSources'>
  | `marchand.${keyof MerchantAccount['marchand']}`;

interface Member {
  /** One account for each value. */
  readonly accounts: readonly SeedAccount[];
  readonly read: (account: MerchantAccount) => unknown;
  readonly fix: string;
  /** True when a database may refuse these values. */
  readonly isOptional?: boolean;
}

const withReference = (number: number, marchand: Partial<MerchantAccount['marchand']>) =>
  merchant(number, { marchand: { ...merchant(number).marchand, ...marchand } });

const nameOf = (member: MemberName) => `${member} comes back as stored`;

const MEMBERS: Readonly<Record<MemberName, Member>> = {
  phone: {
    accounts: ['+2250700000001', '0700000001', ''].map((phone, index) => merchant(index + 1, { phone })),
    read: ({ phone }) => phone,
    fix: "Return a string, '' where there is none, from a column of text: a number column loses + and leading zeros.",
  },
  'marchand.referencl': {
    accounts: ['BTQ-1001', '0012345', '12e5'].map((referencl, index) => withReference(index + 1, { referencl })),
    read: ({ marchand }) => marchand?.referencl,
    fix:
      'Return the string that is stored, because refercence_cl must be exactly equal to it. If the reference is the id, ' +
      leaveCaseOut(nameOf('marchand.referencl')),
  },
  'marchand.statut': {
    accounts: [0, 1, 2, 2147483647, -1].map((statut, index) => withReference(index + 1, { statut })),
    read: ({ marchand }) => marchand?.statut,
    fix:
      'Return the stored integer as a JavaScript number: Number(row.statut). If your table has none, or only two values, ' +
      leaveCaseOut(nameOf('marchand.statut')),
    isOptional: true,
  },
  disabled: {
    accounts: [false, true].map((disabled, index) => merchant(index + 1, { disabled })),
    read: ({ disabled }) => disabled,
    fix:
      'Return a boolean, false as well as true: Boolean(row.disabled) for a column of 0 and 1. If your table has none, ' +
      leaveCaseOut(nameOf('disabled')),
  },
};

const NAMES = Object.keys(MEMBERS) as MemberName[];

async function checkMember(trial: Trial, member: MemberName): Promise<void> {
  const { accounts, read, fix, isOptional } = MEMBERS[member];
  for (const account of accounts) {
    const seeded = isOptional ? await trial.seedUnlessRefused(account) : await trial.seedOne(account, fix);
    if (seeded === undefined) continue;
    const value = read(await trial.accountOf(seeded));
    demand(
      value === read(account),
      `findById(${show(seeded.id)}) returned ${show(value)} as ${member}, where ${show(read(account))} is stored. ${fix}`,
    );
  }
}

/** tokensValidAfter has its own case. */
export const MEMBERS_TO_COMPARE: Readonly<Record<string, (account: MerchantAccount) => unknown>> = {
  id: ({ id }) => id,
  email: ({ email }) => email,
  ...Object.fromEntries(NAMES.map((member) => [member, MEMBERS[member].read])),
};

export const accountCases: StoreCases = {
  ...Object.fromEntries(NAMES.map((member) => [nameOf(member), (trial: Trial) => checkMember(trial, member)])),
  'findCredentials gives the account that findById gives': async (trial) => {
    const seeded = await trial.seedOne(merchant(1, { disabled: true }));
    const { account } = await trial.credentialsOf(seeded);
    demand(
      typeof account === 'object' && account !== null,
      `findCredentials(${show(seeded.email)}) resolved to no account. Resolve to { account, passwordHash }.`,
    );
    const byId = await trial.accountOf(seeded);
    for (const [member, read] of Object.entries(MEMBERS_TO_COMPARE)) {
      const [one, other] = [read(account), read(byId)];
      demand(
        one === other,
        `findCredentials(${show(seeded.email)}) and findById(${show(seeded.id)}) differ in ${member}: ${show(one)} and ` +
          `${show(other)}. Make the account of both with one function, from the same columns.`,
      );
    }
  },
};
