import { callAsync } from '../../base/host-calls.js';
import { copyOf, type Credentials, type MerchantAccount } from '../../store/user-store.js';
import { demand, reasonOf, show, Violation } from './messages.js';
import { neighborOf } from './merchants.js';
import type { SeedAccount, StoreUnderTest } from './store-under-test.js';

/** Calls fail with messages that say what to change. A `hint` says how to fix a rejection. */
export type Trial = ReturnType<typeof createTrial>;

/** By name. */
export type StoreCases = Readonly<Record<string, StoreCheck>>;
export type StoreCheck = (trial: Trial) => Promise<void>;

/** For a refusal by a model of an ORM, such as one by `isEmail`, or by a column of user names. */
export const PAST_THE_MODEL =
  'If a model refused it, insert past its validation, because the column is tested and not the model. ' +
  'If the column holds user names, drop its CHECK and widen it in the test database.';

const SEED_EMAIL =
  'seed must insert `email` into the column that findCredentials reads, even if that column holds user names.';

/** With the first three ids. */
export function showFindByIds(ids: readonly string[]): string {
  return `findByIds([${ids.slice(0, 3).map(show).join(', ')}${ids.length > 3 ? ', ...' : ''}])`;
}

export function createTrial(underTest: StoreUnderTest) {
  const { store } = underTest;

  const insert = async (accounts: readonly SeedAccount[]) => {
    const ids: unknown = await callAsync(() => underTest.seed(accounts.map(copyOf)));
    if (!Array.isArray(ids)) return accounts;
    demand(
      ids.length === accounts.length && ids.every((id) => typeof id === 'string' && id !== ''),
      `seed resolved to a list that is not the ids of the ${accounts.length} accounts given, as strings. ` +
        'Resolve to String(id) of each, in their order, or to nothing when the ids are those given.',
    );
    return accounts.map((account, index) => ({ ...account, id: ids[index] as string }));
  };

  const find = async <Found>(call: string, find: () => Promise<Found>, hint: string): Promise<Found> => {
    try {
      return await callAsync(find);
    } catch (cause) {
      throw new Violation(`${call} rejected: ${reasonOf(cause)}. ${hint}`, { cause });
    }
  };

  /** Returns the accounts with the ids that they have. */
  const seed = async (
    accounts: readonly SeedAccount[],
    hint = 'Insert each member unchanged. If the database chooses the ids, return them.',
  ): Promise<readonly SeedAccount[]> => {
    try {
      return await insert(accounts);
    } catch (cause) {
      const emails = accounts.map(({ email }) => show(email)).join(', ');
      throw new Violation(`seed rejected for ${emails}: ${reasonOf(cause)}. ${hint} ${PAST_THE_MODEL}`, { cause });
    }
  };

  const findCredentials = (email: string, hint = 'Resolve to null when there is no such account.') =>
    find(`findCredentials(${show(email)})`, () => store.findCredentials(email), hint);

  const findById = (id: string, hint = 'Resolve to null when there is no such account.') =>
    find(`findById(${show(id)})`, () => store.findById(id), hint);

  return {
    store,
    seed,
    findCredentials,
    findById,

    async seedOne(account: SeedAccount, hint?: string): Promise<SeedAccount> {
      const [seeded = account] = await seed([account], hint);
      return seeded;
    },

    async seedUnlessRefused(account: SeedAccount): Promise<SeedAccount | undefined> {
      const [seeded] = await insert([account]).catch(() => []);
      return seeded;
    },

    async findByIds(ids: readonly string[], hint = 'Resolve to the accounts that exist.') {
      const call = showFindByIds(ids);
      const found: unknown = await find(call, async () => store.findByIds?.(ids), hint);
      demand(Array.isArray(found), `${call} resolved to ${show(found)}. Resolve to an array of accounts.`);
      return found as readonly MerchantAccount[];
    },

    /** `hint` says how to fix an email that is special. */
    async credentialsOf(account: SeedAccount, hint?: string): Promise<Credentials> {
      const found = await findCredentials(account.email, hint);
      const problem = `findCredentials(${show(account.email)}) found nobody, but that account was seeded.`;
      demand(found != null, `${problem} ${hint ?? SEED_EMAIL}`);
      return found;
    },

    async accountOf(account: SeedAccount): Promise<MerchantAccount> {
      const found = await findById(account.id);
      demand(found != null, `findById(${show(account.id)}) found nobody, but that account was seeded.`);
      return found;
    },
  };
}

/** A missing account fails another case. */
export async function accountsByMethod(trial: Trial, seeded: SeedAccount): Promise<[string, MerchantAccount][]> {
  const found = {
    findById: await trial.accountOf(seeded),
    findCredentials: (await trial.credentialsOf(seeded)).account,
    findByIds: trial.store.findByIds && (await trial.findByIds([seeded.id, neighborOf(seeded.id)]))[0],
  };
  return Object.entries(found).filter((entry): entry is [string, MerchantAccount] => entry[1] != null);
}
