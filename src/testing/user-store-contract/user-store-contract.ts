import { callAsync } from '../../base/host-calls.js';
import { checkFunction, checkMethods } from '../../base/check-options.js';
import { checkUserStore } from '../../store/user-store.js';
import { caseOf, type ContractCase } from './contract-case.js';
import { reasonOf, Violation } from './messages.js';
import { absenceCases } from './cases/absence.js';
import { accountCases } from './cases/account.js';
import { allowedSourcesCases } from './cases/allowed-sources.js';
import { copyCases } from './cases/copies.js';
import { emailCases } from './cases/emails.js';
import { findByIdsCases } from './cases/find-by-ids.js';
import { hashCases } from './cases/hashes.js';
import { idCases } from './cases/ids.js';
import { instantCases } from './cases/instants.js';
import { otherSpellingCases } from './cases/other-spellings.js';
import { replaceHashCases } from './cases/replace-hash.js';
import { uniquenessCases } from './cases/uniqueness.js';
import type { StoreUnderTest } from './store-under-test.js';
import { createTrial, type StoreCheck } from './trial.js';

const CASES = [
  absenceCases,
  emailCases,
  uniquenessCases,
  otherSpellingCases,
  idCases,
  accountCases,
  instantCases,
  allowedSourcesCases,
  findByIdsCases,
  hashCases,
  replaceHashCases,
  copyCases,
].flatMap((cases) => Object.entries(cases));

/**
 * Returns the contract of `UserStore` as cases for any test runner. Run the cases one after another. Each message says
 * what to change, and shows no hash. Several accounts may have the same `referencl`.
 *
 * The cases on `findByIds`, `replacePasswordHash` and `allowedSources` are left out for a store without them. Test the
 * store inside a wrapper such as `createCachedUserStore`, because the wrapper returns one object many times. One case
 * changes `process.env.TZ` for a moment, which has no effect in Jest and in worker threads. There, run the suite a
 * second time with `TZ` set to a zone that has summer time.
 * @param createStore returns a store over a database without accounts, a new one for each case
 * @throws TypeError when `createStore` is not a function
 */
export function userStoreContract(createStore: () => Promise<StoreUnderTest>): readonly ContractCase[] {
  checkFunction('userStoreContract: createStore', createStore);
  return CASES.map(([name, check]) => caseOf(name, () => runCase(createStore, check)));
}

async function runCase(createStore: () => Promise<StoreUnderTest>, check: StoreCheck): Promise<void> {
  const underTest = await callAsync(createStore).catch((cause: unknown) => {
    throw new Violation(`createStore failed, so nothing was tested: ${reasonOf(cause)}.`, { cause });
  });
  const where = 'userStoreContract: what createStore resolved to';
  checkMethods(where, underTest, ['seed'], 'Resolve to { store, seed, close }, where close is optional.');

  const [checked] = await Promise.allSettled([callAsync(() => checkStore(underTest, check))]);
  const [closed] = await Promise.allSettled([callAsync(() => underTest.close?.())]);
  if (checked.status === 'rejected') throw checked.reason;
  if (closed.status === 'rejected') {
    throw new Violation(`close failed after the case had passed: ${reasonOf(closed.reason)}.`, {
      cause: closed.reason,
    });
  }
}

async function checkStore(underTest: StoreUnderTest, check: StoreCheck): Promise<void> {
  checkUserStore('userStoreContract', underTest.store);
  await check(createTrial(underTest));
}
