import { isDeepStrictEqual } from 'node:util';
import { MAX_IDS } from '../../../store/call-store.js';
import type { MerchantAccount } from '../../../store/user-store.js';
import { leaveOutUnless } from '../contract-case.js';
import { demand, show } from '../messages.js';
import { merchant } from '../merchants.js';
import type { SeedAccount } from '../store-under-test.js';
import { showFindByIds, type StoreCases, type StoreCheck, type Trial } from '../trial.js';
import { MEMBERS_TO_COMPARE } from './account.js';
import { spellingsOf } from './ids.js';
import { showInstant } from './instants.js';

/** Limits of databases are often 100. */
const ACCOUNTS = 120;

const FILTER = 'Take such ids out first, with the test that findById makes: ids.filter(isId).';

const MEMBERS: typeof MEMBERS_TO_COMPARE = {
  ...MEMBERS_TO_COMPARE,
  tokensValidAfter: ({ tokensValidAfter }) => tokensValidAfter ?? null,
};

const seedMerchants = (trial: Trial, count: number) =>
  trial.seed(Array.from({ length: count }, (_, index) => merchant(index + 1)));

/** As a text: another case checks the type of the id. */
function accountOf(found: readonly (MerchantAccount | null)[], { id }: SeedAccount): MerchantAccount | undefined {
  return found.find((account) => String(account?.id) === id) ?? undefined;
}

function unknownIds(accounts: readonly SeedAccount[], count: number): string[] {
  const start = accounts[0]?.id.slice(0, -4) ?? '';
  const ids = Array.from({ length: MAX_IDS }, (_, index) => `${start}${1000 + index}`);
  return ids.filter((unknown) => accounts.every(({ id }) => id !== unknown)).slice(0, count);
}

function demandAll(
  found: readonly MerchantAccount[],
  accounts: readonly SeedAccount[],
  ids: readonly string[],
  fix: string,
): void {
  const missing = accounts.find((account) => accountOf(found, account) === undefined);
  demand(
    missing === undefined,
    `${showFindByIds(ids)} did not find the account ${show(missing?.id)}, which was seeded. ${fix}`,
  );
}

function ifFindsByIds(check: StoreCheck): StoreCheck {
  return async (trial) => {
    leaveOutUnless(trial.store.findByIds !== undefined, 'This store has no findByIds.');
    await check(trial);
  };
}

export const findByIdsCases: StoreCases = {
  'findByIds returns the accounts that exist, each once': ifFindsByIds(async (trial) => {
    const accounts = await seedMerchants(trial, 3);
    const [first = merchant(1), , third = merchant(3)] = accounts;
    const ids = [third.id, ...unknownIds(accounts, 1), first.id];
    const found: readonly (MerchantAccount | null)[] = await trial.findByIds(ids);
    const given = found.map((account) => account?.id);
    demand(
      isDeepStrictEqual(given.map(String).sort(), [first.id, third.id].sort()),
      `${showFindByIds(ids)} gave ${given.map(show).join(', ')}, where the first and the last of these ids have an ` +
        'account. Return each of their accounts once, in any order, and nothing for the other ids.',
    );
  }),
  [`findByIds takes ${MAX_IDS} ids`]: ifFindsByIds(async (trial) => {
    const accounts = await seedMerchants(trial, ACCOUNTS);
    // The known ids come last: a store can cut the list.
    const ids = [...unknownIds(accounts, MAX_IDS - ACCOUNTS), ...accounts.map(({ id }) => id)];
    const fix = `The guard gives up to ${MAX_IDS} ids to one call. Answer all of them: split the list if the database takes fewer.`;
    demandAll(await trial.findByIds(ids, fix), accounts, ids, fix);
  }),
  'findByIds gives the accounts that findById gives': ifFindsByIds(async (trial) => {
    const instant = new Date('2026-01-15T12:00:00.501Z');
    const seeded = await trial.seed([merchant(1, { tokensValidAfter: instant }), merchant(2, { disabled: true })]);
    const found = await trial.findByIds(seeded.map(({ id }) => id));
    for (const account of seeded) {
      const inList = accountOf(found, account);
      // A missing account fails another case.
      if (inList === undefined) continue;
      const byId = await trial.accountOf(account);
      for (const [member, read] of Object.entries(MEMBERS)) {
        const [one, other] = [read(inList), read(byId)];
        demand(
          isDeepStrictEqual(one, other),
          `findByIds and findById differ in ${member} of the account ${show(account.id)}: ${showInstant(one)} and ` +
            `${showInstant(other)}. Make the account of both with one function, from the same columns.`,
        );
      }
    }
  }),
  'findByIds finds nobody by any other spelling of an id': ifFindsByIds(async (trial) => {
    const seeded = await trial.seedOne(merchant(1));
    // Number() gives 2 ** 53 for this id too.
    const big = await trial.seedUnlessRefused(merchant(2, { id: String(2n ** 53n + 1n) }));
    const unknown = unknownIds([seeded, big ?? seeded], 1);
    for (const spelling of [...spellingsOf(seeded.id), String(2n ** 53n)]) {
      const ids = [spelling, ...unknown];
      // The next case checks rejections.
      const [outcome] = await Promise.allSettled([trial.findByIds(ids)]);
      const found = outcome.status === 'fulfilled' ? outcome.value.find((account) => account != null) : undefined;
      demand(
        found === undefined,
        `${showFindByIds(ids)} found the account ${show(found?.id)}. Databases and Number() read the first text as that ` +
          `id. ${FILTER} Bind a bigint as text or BigInt, and cast it where the database compares it as a number.`,
      );
    }
  }),
  'findByIds takes ids that cannot be stored, and finds the others': ifFindsByIds(async (trial) => {
    const accounts = await seedMerchants(trial, 2);
    const [first = '', second = ''] = accounts.map(({ id }) => id);
    const fix = `One such id must not fail the call, because its other ids belong to other requests. ${FILTER}`;
    for (const spelling of spellingsOf(first)) {
      const ids = [first, spelling, second];
      demandAll(await trial.findByIds(ids, fix), accounts, ids, fix);
    }
    await trial.findByIds(['abc', '\0'], `${FILTER} Some databases refuse the empty list that is left: IN ().`);
  }),
};
