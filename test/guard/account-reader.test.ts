import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'chai';
import fc from 'fast-check';
import { accountReader } from '../../src/guard/account-reader.js';
import type { MerchantAccount, UserStore } from '../../src/index.js';
import { createCachedUserStore } from '../../src/index.js';
import { AWA, FERMEE, KOFI } from '../helpers/accounts.js';
import { MALFORMED_ACCOUNT, STORE_UNAVAILABLE } from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { rejectionOf } from '../helpers/thrown.js';
import { PROPERTY_TIMEOUT_MS, REQUESTS, SEED } from '../helpers/trials.js';

const TIMEOUT_MS = 3_000;
const ACCOUNTS: readonly MerchantAccount[] = [AWA, KOFI, FERMEE];

/** A store of the three accounts that records its calls. `findByIds` can have a fault. */
function recordingStore(findByIds: (ids: readonly string[]) => unknown = find) {
  const calls: (string | readonly string[])[] = [];
  const store = {
    findCredentials: () => Promise.resolve(null),
    async findById(id: string) {
      calls.push(id);
      await Promise.resolve();
      return ACCOUNTS.find((account) => account.id === id) ?? null;
    },
    async findByIds(ids: readonly string[]) {
      calls.push([...ids]);
      await Promise.resolve();
      return (await findByIds(ids)) as readonly MerchantAccount[];
    },
  } satisfies UserStore;
  return { calls, store, read: accountReader(store, TIMEOUT_MS) };
}

function find(ids: readonly string[]): readonly MerchantAccount[] {
  return ACCOUNTS.filter(({ id }) => ids.includes(id)).reverse();
}

async function nextPhase(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves to the account's id, `null`, or the code and the detail of the error, for each id. */
async function outcomesOf(reads: readonly Promise<{ account: MerchantAccount } | null>[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(reads);
  return outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value?.account.id ?? null;
    const { code, detail } = outcome.reason as { code: string; detail: string };
    return `${code}: ${detail}`;
  });
}

describe('accountReader', () => {
  it('reads the ids that arrive together in one call, each once, and gives each request its account', async () => {
    const { calls, read } = recordingStore();
    const reads = ['1', '2', 'gone', '1'].map(read);
    expect(calls).to.deep.equal([]);
    expect(await outcomesOf(reads)).to.deep.equal(['1', '2', null, '1']);
    expect(calls).to.deep.equal([['1', '2', 'gone']]);
  });

  it('reads a single id with findById, for one request or for several', async () => {
    const { calls, read } = recordingStore();
    expect(await outcomesOf([read('1')])).to.deep.equal(['1']);
    expect(await outcomesOf([read('2'), read('2')])).to.deep.equal(['2', '2']);
    expect(calls).to.deep.equal(['1', '2']);
  });

  it('starts a new call for an id that arrives after the last one has begun', async () => {
    const { calls, read } = recordingStore();
    const first = [read('1'), read('2')];
    await nextPhase();
    await outcomesOf([...first, read('1'), read('3')]);
    expect(calls).to.deep.equal([
      ['1', '2'],
      ['1', '3'],
    ]);
  });

  it('asks for at most 500 ids in a call', async () => {
    const { calls, read } = recordingStore();
    await outcomesOf(Array.from({ length: 1_001 }, (_, index) => read(`a${index}`)));
    expect(calls.map((ids) => (typeof ids === 'string' ? 1 : ids.length))).to.deep.equal([500, 500, 1]);
  });

  it('reads each id alone, and at once, from a store without findByIds', async () => {
    const { calls, store } = recordingStore();
    const plain = { findCredentials: store.findCredentials, findById: (id: string) => store.findById(id) };
    const read = accountReader(plain, TIMEOUT_MS);
    const reads = [read('1'), read('1')];
    expect(calls).to.deep.equal(['1', '1']);
    expect(await outcomesOf(reads)).to.deep.equal(['1', '1']);
  });

  it('refuses a malformed account of findById, and names the method and the member', async () => {
    const { store } = recordingStore();
    const findById = () => Promise.resolve({ ...AWA, disabled: 0 } as never);
    const read = accountReader({ findCredentials: store.findCredentials, findById }, TIMEOUT_MS);
    const problem =
      "an account whose disabled is not a boolean (for a number or a text: disabled: String(row.blocked) !== '0', or Number(row.active) !== 1)";
    expect(await outcomesOf([read('1')])).to.deep.equal([
      `${MALFORMED_ACCOUNT}: UserStore.findById returned ${problem}.`,
    ]);
  });

  it('answers all requests of a call that fails with one error each', async () => {
    const cause = new Error('connection refused');
    for (const failing of [
      () => Promise.reject(cause),
      () => {
        throw cause;
      },
    ]) {
      const { read } = recordingStore(failing);
      const [one, other] = await Promise.all([rejectionOf(read('1')), rejectionOf(read('2'))]);
      for (const error of [one, other]) {
        expect(error).to.include({ code: STORE_UNAVAILABLE, detail: 'UserStore.findByIds failed.', cause });
      }
      expect(one).not.to.equal(other);
    }
  });

  it('waits as long for findByIds as for findById', async () => {
    const time = freezeTime();
    const hanging = () => new Promise<never>(() => undefined);
    const { store, read } = recordingStore(hanging);
    const single = accountReader({ findCredentials: store.findCredentials, findById: hanging }, TIMEOUT_MS);
    const outcomes = outcomesOf([read('1'), read('2'), single('1')]);
    await nextPhase();
    time.pass(TIMEOUT_MS / 1000);
    expect(await outcomes).to.deep.equal([
      ...Array<string>(2).fill(`${STORE_UNAVAILABLE}: UserStore.findByIds failed.`),
      `${STORE_UNAVAILABLE}: UserStore.findById failed.`,
    ]);
  });

  it('refuses what a faulty findByIds returns, for the requests that it concerns', async () => {
    const wrongId = { ...KOFI, id: 2 } as unknown as MerchantAccount;
    const throwing = {
      ...KOFI,
      get id(): string {
        throw new Error('lazy');
      },
    };
    const noId = { ...KOFI, id: undefined };
    const malformed = (problem: string) => `${MALFORMED_ACCOUNT}: UserStore.findByIds returned ${problem}.`;
    const noString = malformed('an account whose id is not a non-empty string (for an integer key: String(id))');
    const noObject = malformed('no account object (return null when there is none)');
    const repeated = malformed('two accounts with one id. Return each account once, as a new object');
    const cases: readonly [result: unknown, outcomeOfKofi: string | null, outcomeOfAwa?: string][] = [
      [[AWA], null],
      [[AWA, wrongId], noString],
      [[AWA, noId], noString],
      [[AWA, FERMEE], malformed('an account with an id other than that asked for')],
      [[AWA, throwing], malformed('an account with a member that throws when it is read')],
      [[AWA, null], null],
      [[AWA, undefined], noObject],
      [[AWA, KOFI, { ...KOFI }], repeated],
      [[KOFI, KOFI], repeated, repeated],
      [[KOFI, { ...KOFI }, FERMEE], repeated, repeated],
      [[AWA, FERMEE, FERMEE], malformed('an account with an id other than that asked for')],
      [
        [AWA, { ...KOFI, disabled: 0 }],
        malformed(
          "an account whose disabled is not a boolean (for a number or a text: disabled: String(row.blocked) !== '0', or Number(row.active) !== 1)",
        ),
      ],
      [undefined, noObject, noObject],
      [{ 1: AWA, 2: KOFI }, noObject, noObject],
    ];
    for (const [result, outcomeOfKofi, outcomeOfAwa = '1'] of cases) {
      const { read } = recordingStore(() => result);
      expect(await outcomesOf([read('1'), read('2')])).to.deep.equal([outcomeOfAwa, outcomeOfKofi]);
    }
  });

  it('never gives a request the account of another id, whatever findByIds returns, with and without a cache', async () => {
    const id = fc.constantFrom('1', '2', '3', '4', 1, 2, '', ' 1', null, undefined);
    const account = fc.oneof(
      id.map((id) => ({ ...AWA, id })),
      fc.constantFrom(...ACCOUNTS, null, undefined, '1', 7),
    );
    const result = fc.oneof({ weight: 9, arbitrary: fc.array(account, { maxLength: 6 }) }, fc.anything());
    const asked = fc.array(fc.constantFrom('1', '2', '3', '4', '__proto__'), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(asked, result, asked, fc.boolean(), async (ids, faulty, later, isCached) => {
        const { store } = recordingStore(() => faulty);
        const userStore = isCached ? createCachedUserStore(store as UserStore, { maxStalenessMs: 60_000 }) : store;
        const read = accountReader(userStore, TIMEOUT_MS);
        for (const list of [ids, later]) {
          const found = (await outcomesOf(list.map((id) => read(id)))) as (string | null)[];
          found.forEach((outcome, index) => {
            const [code] = outcome?.split(': ') ?? [];
            if (outcome !== null && code !== MALFORMED_ACCOUNT && code !== STORE_UNAVAILABLE) {
              expect(outcome).to.equal(list[index]);
            }
          });
        }
      }),
      { seed: SEED, numRuns: REQUESTS },
    );
  }).timeout(PROPERTY_TIMEOUT_MS);

  it('calls a store with findByIds outside the context of every request, for one id and for several', async () => {
    const tenants = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const { store } = recordingStore();
    const record = () => seen.push(tenants.getStore());
    const read = accountReader(
      {
        findCredentials: store.findCredentials,
        findById: (id) => (record(), store.findById(id)),
        findByIds: (ids) => (record(), store.findByIds(ids)),
      },
      TIMEOUT_MS,
    );
    const readAs = (tenant: string, id: string) =>
      tenants.run(tenant, async () => [await read(id), tenants.getStore()]);
    await readAs('live', '1');
    expect(seen).to.deep.equal([undefined]);
    // Each request is in its own context again when its account has arrived.
    const results = await Promise.all([readAs('live', '1'), readAs('sandbox', '2')]);
    expect(results.map(([, tenant]) => tenant)).to.deep.equal(['live', 'sandbox']);
    expect(seen).to.deep.equal([undefined, undefined]);
  });
});
