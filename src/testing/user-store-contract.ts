import { callAsync } from '../errors/call-async.js';
import { checkFunction, checkMethods } from '../options/check-options.js';
import { checkUserStore } from '../store/user-store.js';
import { absenceCases } from './cases/absence.js';
import { accountCases } from './cases/account.js';
import { copyCases } from './cases/copies.js';
import { emailCases } from './cases/emails.js';
import { hashCases } from './cases/hashes.js';
import { idCases } from './cases/ids.js';
import { instantCases } from './cases/instants.js';
import { otherSpellingCases } from './cases/other-spellings.js';
import { replaceHashCases } from './cases/replace-hash.js';
import { uniquenessCases } from './cases/uniqueness.js';
import { reasonOf, violation } from './messages.js';
import type { StoreUnderTest } from './store-under-test.js';
import { type CaseDefinition, createTrial } from './trial.js';

/** One case, for a runner of whatever kind: `test(name, run)`. */
export interface ContractCase {
  /** What a store does, in a sentence. No two cases share it. */
  readonly name: string;
  /** Resolves when the store does it; else rejects with an error whose message says what to change. */
  readonly run: () => Promise<void>;
}

const CASES: readonly CaseDefinition[] = [
  ...absenceCases,
  ...emailCases,
  ...uniquenessCases,
  ...otherSpellingCases,
  ...idCases,
  ...accountCases,
  ...instantCases,
  ...hashCases,
  ...replaceHashCases,
  ...copyCases,
];

/**
 * What every `UserStore` has to do, as cases to be run one after another, each by itself. It needs no runner and no
 * network of its own; the messages tell what to change, and show no hash.
 *
 * A store without `replacePasswordHash` passes the cases on it. A wrapper as `createCachedUserStore` is not meant to pass, since
 * it hands out one object many times: test the store within. One case changes `process.env.TZ` for a moment. Where that
 * moves no clock (Jest, worker threads), run the suite with `TZ` set to a zone that has summer time as well.
 * @param createStore gives a store over a database without accounts, another for each case
 * @throws TypeError when `createStore` is no function
 */
export function userStoreContract(createStore: () => Promise<StoreUnderTest>): readonly ContractCase[] {
  checkFunction('userStoreContract: createStore', createStore);
  return CASES.map(({ name, check }) => ({ name, run: () => runCase(createStore, check) }));
}

async function runCase(createStore: () => Promise<StoreUnderTest>, check: CaseDefinition['check']): Promise<void> {
  const underTest = await callAsync(createStore).catch((cause: unknown) => {
    throw violation(`createStore failed, so nothing was tested: ${reasonOf(cause)}.`, cause);
  });
  const where = 'userStoreContract: what createStore resolved to';
  checkMethods(where, underTest, ['seed', 'close'], 'Resolve to { store, seed, close }.');

  const [checked] = await Promise.allSettled([callAsync(() => checkStore(underTest, check))]);
  const [closed] = await Promise.allSettled([callAsync(() => underTest.close())]);
  if (checked.status === 'rejected') throw checked.reason;
  if (closed.status === 'rejected') {
    throw violation(`close failed after the case had passed: ${reasonOf(closed.reason)}.`, closed.reason);
  }
}

async function checkStore(underTest: StoreUnderTest, check: CaseDefinition['check']): Promise<void> {
  checkUserStore('userStoreContract', underTest.store);
  await check(createTrial(underTest));
}
