import { expect } from 'chai';
import {
  createCachedUserStore,
  type CachedUserStoreOptions,
  type Credentials,
  type MerchantAccount,
  type UserStore,
} from '../../src/index.js';
import { DEFAULT_STORE_TIMEOUT_MS } from '../../src/store/call-store.js';
import { accountStore, AWA, FERMEE, KOFI } from '../helpers/accounts.js';
import { MALFORMED_ACCOUNT } from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { expectTypeError, rejectionOf } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';

const DOWN = new Error('connection refused');
const MAX = 1_000;

/** A read that the test answers when it wants to. */
interface Read {
  readonly id: string;
  readonly resolve: (account: MerchantAccount | null) => void;
  readonly reject: (reason: unknown) => void;
}

/** Stops the clock. Returns a function that lets milliseconds pass. */
function freeze(): (milliseconds: number) => void {
  const time = freezeTime();
  return (milliseconds) => time.pass(milliseconds / 1000);
}

/** A store whose reads wait for the test, behind a cache whose time stands still. */
function manualStore(
  options: Partial<CachedUserStoreOptions> = {},
  credentials: Credentials | null | Promise<Credentials> = null,
) {
  const reads: Read[] = [];
  const store: UserStore = {
    findCredentials: () => Promise.resolve(credentials),
    findById: (id) => new Promise((resolve, reject) => void reads.push({ id, resolve, reject })),
  };
  return {
    reads,
    pass: freeze(),
    cached: createCachedUserStore(store, { maxStalenessMs: MAX, ...options }),
  };
}

/** Creates a store that answers at once with the result of `answer`, and counts the calls. */
function answeringStore(answer: (id: string) => unknown, options: Partial<CachedUserStoreOptions> = {}) {
  const asked: string[] = [];
  const store = {
    findCredentials: () => Promise.resolve(null),
    findById(id: string) {
      asked.push(id);
      return answer(id) as Promise<MerchantAccount | null>;
    },
  };
  return {
    asked,
    pass: freeze(),
    cached: createCachedUserStore(store, { maxStalenessMs: MAX, ...options }),
  };
}

describe('createCachedUserStore', () => {
  describe('findByIds', () => {
    /** A store that waits for the test with each call. */
    function batchStore() {
      const calls: { readonly ids: readonly string[]; readonly answer: (found: readonly unknown[]) => void }[] = [];
      const call = (ids: readonly string[]) =>
        new Promise<never>((resolve) => void calls.push({ ids: [...ids], answer: (found) => resolve(found as never) }));
      const store: UserStore = {
        findCredentials: () => Promise.resolve(null),
        findById: async (id) => ((await call([id])) as MerchantAccount[])[0] ?? null,
        findByIds: call,
      };
      const pass = freeze();
      const cached = createCachedUserStore(store, { maxStalenessMs: MAX }) as Required<UserStore>;
      return { calls, pass, cached, asked: () => calls.map(({ ids }) => ids) };
    }

    it('asks only for ids that nobody has read or is reading, and caches that one is missing', async () => {
      const { calls, asked, cached, pass } = batchStore();
      const both = cached.findByIds(['1', 'gone']);
      const others = [cached.findByIds(['1', '2', '3']), cached.findById('1')];
      await settle();
      expect(asked()).to.deep.equal([
        ['1', 'gone'],
        ['2', '3'],
      ]);
      calls[0]?.answer([AWA]);
      calls[1]?.answer([FERMEE, KOFI]);
      expect(await both).to.deep.equal([AWA]);
      expect(await Promise.all(others)).to.deep.equal([[AWA, KOFI, FERMEE], AWA]);
      pass(MAX - 1);
      expect(await cached.findByIds(['gone', '2'])).to.deep.equal([KOFI]);
      expect(await cached.findById('gone')).to.equal(null);
      expect(calls).to.have.length(2);
      pass(1);
      void cached.findByIds(['gone', '2']);
      await settle();
      expect(asked().at(-1)).to.deep.equal(['gone', '2']);
    });

    it('asks again, in one call, for ids of earlier reads that took too long', async () => {
      const { calls, asked, cached, pass } = batchStore();
      void cached.findByIds(['1', '2']);
      pass(MAX - 1);
      const late = cached.findByIds(['1', '2', '3']);
      pass(1);
      calls[0]?.answer([AWA, KOFI]);
      calls[1]?.answer([FERMEE]);
      await settle();
      expect(asked()).to.deep.equal([['1', '2'], ['3'], ['1', '2']]);
      calls[2]?.answer([KOFI, AWA]);
      expect(await late).to.have.deep.members([AWA, KOFI, FERMEE]);
    });

    it('passes on what breaks the contract, so that the guard refuses it, and asks again', async () => {
      const { calls, asked, cached } = batchStore();
      const twice = cached.findByIds(['1', '2']);
      const one = rejectionOf(cached.findById('1'));
      calls[0]?.answer([AWA, AWA, FERMEE]);
      // The accounts of id 1, and again in place of id 2, which is therefore not cached as missing.
      expect(await twice).to.deep.equal([AWA, AWA, AWA, AWA]);
      const detail =
        'UserStore.findByIds returned two accounts with one id. Return each account once, as a new object.';
      expect(await one).to.include({ code: MALFORMED_ACCOUNT, detail });
      void cached.findByIds(['1', '2']);
      expect(asked()).to.deep.equal([
        ['1', '2'],
        ['1', '2'],
      ]);
    });
  });

  describe('findById', () => {
    it('reads once while the entry is younger than maxStalenessMs, however often it is used, and then again', async () => {
      const { asked, pass, cached } = answeringStore((id) => Promise.resolve({ ...AWA, id }));
      const first = await cached.findById(AWA.id);
      expect(first).to.deep.equal(AWA);
      for (const milliseconds of [MAX / 2, MAX / 2 - 1]) {
        pass(milliseconds);
        // The age does not follow the clock of the system.
        freezeTime().jump(1e6);
        expect(await cached.findById(AWA.id)).to.equal(first);
      }
      expect(asked).to.deep.equal([AWA.id]);
      pass(1);
      expect(await cached.findById(AWA.id)).not.to.equal(first);
      expect(asked).to.deep.equal([AWA.id, AWA.id]);
    });

    it('shares one read among 100 requests at once, including its failure', async () => {
      for (const settleRead of [(read?: Read) => read?.resolve(AWA), (read?: Read) => read?.reject(DOWN)]) {
        const { reads, cached } = manualStore();
        const answers = Array.from({ length: 100 }, () => cached.findById(AWA.id).catch((error: unknown) => error));
        await settle();
        expect(reads).to.have.length(1);
        settleRead(reads[0]);
        expect(new Set(await Promise.all(answers)).size).to.equal(1);
        expect(reads).to.have.length(1);
      }
    });

    it('does not share a read that has lasted the default timeout of a store, and serves its answer while it is young enough', async () => {
      const { reads, pass, cached } = manualStore({ maxStalenessMs: 60_000 });
      const first = cached.findById(AWA.id);
      pass(DEFAULT_STORE_TIMEOUT_MS - 1);
      const second = cached.findById(AWA.id);
      expect(reads).to.have.length(1);
      pass(1);
      const third = cached.findById(AWA.id);
      expect(reads).to.have.length(2);
      reads[0]?.resolve(AWA);
      expect([await first, await second]).to.deep.equal([AWA, AWA]);
      const newer = { ...AWA };
      reads[1]?.resolve(newer);
      expect(await third).to.equal(newer);
      pass(59_999);
      expect(await cached.findById(AWA.id)).to.equal(newer);
      expect(reads).to.have.length(2);
    });

    it('keeps a newer answer when an older read fails late', async () => {
      const { reads, pass, cached } = manualStore();
      const first = rejectionOf(cached.findById(AWA.id));
      pass(MAX);
      const second = cached.findById(AWA.id);
      reads[1]?.resolve(AWA);
      await second;
      reads[0]?.reject(DOWN);
      expect(await first).to.equal(DOWN);
      expect(await cached.findById(AWA.id)).to.equal(AWA);
      expect(reads).to.have.length(2);
    });

    it('serves no expired entry while the store is down, caches no failure, and recovers with the store', async () => {
      const failures = [
        () => Promise.reject(DOWN),
        () => {
          throw DOWN;
        },
      ];
      for (const fail of failures) {
        let isDown = false;
        const { pass, cached } = answeringStore(() => (isDown ? fail() : Promise.resolve(AWA)));
        await cached.findById(AWA.id);
        isDown = true;
        pass(MAX - 1);
        expect(await cached.findById(AWA.id)).to.equal(AWA);
        pass(1);
        for (let again = 0; again < 3; again++) expect(await rejectionOf(cached.findById(AWA.id))).to.equal(DOWN);
        isDown = false;
        expect(await cached.findById(AWA.id)).to.equal(AWA);
      }
    });

    it('passes on a result that the guard refuses, and does not cache it', async () => {
      const throwing = {
        get id(): string {
          throw DOWN;
        },
      };
      for (const malformed of [
        undefined,
        7,
        { ...AWA, marchand: undefined },
        { ...AWA, disabled: 0 },
        KOFI,
        throwing,
      ]) {
        let answer: unknown = malformed;
        const { cached } = answeringStore(() => Promise.resolve(answer));
        expect(await cached.findById(AWA.id)).to.equal(malformed);
        answer = AWA;
        expect(await cached.findById(AWA.id)).to.equal(AWA);
      }
    });

    it('keeps at most maxEntries accounts, and drops the least recently used one', async () => {
      const { asked, cached } = answeringStore((id) => Promise.resolve({ ...AWA, id }), { maxEntries: 2 });
      for (const id of ['0', '1', '0', '2', '0', '2', '1']) await cached.findById(id);
      expect(asked).to.deep.equal(['0', '1', '2', '1']);
    });
  });

  describe('findCredentials', () => {
    const revokedAt = (ms: number) => ({ ...AWA, tokensValidAfter: new Date(ms) });

    /** A store whose logins find what the test sets, behind a cache that holds Awa's and Kofi's accounts. */
    async function cachedAccounts(awa: MerchantAccount | null = AWA) {
      const asked: string[] = [];
      const login: { find: () => unknown } = { find: () => ({ account: AWA, passwordHash: null }) };
      const store = {
        findCredentials: () => Promise.resolve(login.find()) as ReturnType<UserStore['findCredentials']>,
        findById(id: string) {
          asked.push(id);
          return Promise.resolve(id === AWA.id ? awa : KOFI);
        },
      };
      const cached = createCachedUserStore(store, { maxStalenessMs: MAX });
      await cached.findById(AWA.id);
      await cached.findById(KOFI.id);
      return { asked: () => asked.splice(0), login, cached };
    }

    const changes: readonly (readonly [what: string, cached: MerchantAccount | null, found: MerchantAccount])[] = [
      ['marchand.referencl differs', AWA, { ...AWA, marchand: { ...AWA.marchand, referencl: 'BTQ-1009' } }],
      ['disabled differs', AWA, { ...AWA, disabled: true }],
      ['tokensValidAfter was absent', AWA, revokedAt(1_000)],
      ['tokensValidAfter differs', revokedAt(1_000), revokedAt(2_000)],
      ['allowedSources was absent', AWA, { ...AWA, allowedSources: [] }],
      ['the account did not exist', null, AWA],
    ];
    for (const [what, before, account] of changes) {
      it(`drops the entry of the account that it found when ${what}, and no other entry`, async () => {
        const { asked, login, cached } = await cachedAccounts(before);
        asked();
        login.find = () => ({ account, passwordHash: null });
        await cached.findCredentials(AWA.email);
        await cached.findById(KOFI.id);
        expect(asked()).to.deep.equal([]);
        await cached.findById(AWA.id);
        await cached.findById(AWA.id);
        expect(asked()).to.deep.equal([AWA.id]);
      });
    }

    it('drops no entry that agrees with the account that it found, so that strangers cannot empty the cache', async () => {
      const { asked, login, cached } = await cachedAccounts();
      asked();
      for (const account of [
        AWA,
        { ...AWA, phone: '+22500000000' },
        { ...AWA, tokensValidAfter: null, allowedSources: null },
      ]) {
        login.find = () => ({ account, passwordHash: null });
        expect(await cached.findCredentials(AWA.email)).to.deep.equal({ account, passwordHash: null });
        await cached.findById(AWA.id);
      }
      expect(asked()).to.deep.equal([]);
    });

    it('drops the entry even if the store changes a Date that an earlier login returned', async () => {
      const account = { ...AWA, tokensValidAfter: new Date(1_000) };
      const store: UserStore = {
        findCredentials: () => Promise.resolve({ account, passwordHash: null }),
        findById: () => Promise.resolve({ ...account, tokensValidAfter: new Date(account.tokensValidAfter) }),
      };
      const cached = createCachedUserStore(store, { maxStalenessMs: MAX });
      await cached.findById(AWA.id);
      await cached.findCredentials(AWA.email);
      account.tokensValidAfter.setTime(2_000);
      await cached.findCredentials(AWA.email);
      expect((await cached.findById(AWA.id))?.tokensValidAfter).to.deep.equal(new Date(2_000));
    });

    it('drops nothing when it finds nobody, fails, or breaks the contract', async () => {
      const { asked, login, cached } = await cachedAccounts();
      asked();
      const throwing = {
        ...AWA,
        get disabled(): boolean {
          throw DOWN;
        },
      };
      const found = [null, undefined, 7, {}, { account: null }, { account: { ...AWA, id: 1 } }, { account: throwing }];
      for (const credentials of found) {
        login.find = () => credentials;
        expect(await cached.findCredentials(AWA.email)).to.equal(credentials);
      }
      login.find = () => Promise.reject(DOWN);
      expect(await rejectionOf(cached.findCredentials(AWA.email))).to.equal(DOWN);
      await cached.findById(AWA.id);
      expect(asked()).to.deep.equal([]);
    });

    it('keeps a read in flight when logins agree with the last result, so that strangers cannot keep the cache empty', async () => {
      const { reads, pass, cached } = manualStore({}, { account: AWA, passwordHash: null });
      // The first login drops the first read, because there is no result yet. After that, an entry expires.
      for (const count of [2, 3]) {
        for (let login = 0; login < 3; login++) {
          void cached.findById(AWA.id);
          await cached.findCredentials(AWA.email);
        }
        const last = cached.findById(AWA.id);
        expect(reads).to.have.length(count);
        reads[count - 1]?.resolve(AWA);
        expect(await last).to.equal(AWA);
        pass(MAX);
      }
    });

    it('drops a read in flight when a login differs from the last result, and does not keep its late answer', async () => {
      const credentials = { account: AWA, passwordHash: null };
      const { reads, cached } = manualStore({}, credentials);
      await cached.findCredentials(AWA.email);
      const early = cached.findById(AWA.id);
      credentials.account = revokedAt(1_000);
      await cached.findCredentials(AWA.email);
      const late = cached.findById(AWA.id);
      expect(reads).to.have.length(2);
      reads[1]?.resolve(revokedAt(1_000));
      expect(await late).to.deep.equal(revokedAt(1_000));
      reads[0]?.resolve(AWA);
      expect(await early).to.equal(AWA);
      await settle();
      expect(await cached.findById(AWA.id)).to.deep.equal(revokedAt(1_000));
      // The late answer is not the last result either.
      await cached.findCredentials(AWA.email);
      void cached.findById(AWA.id);
      expect(reads).to.have.length(2);
    });

    it('drops a read that started and ended while the login was read, if its account is another one', async () => {
      let resolveLogin: (credentials: Credentials) => void = () => undefined;
      const pending = new Promise<Credentials>((resolve) => (resolveLogin = resolve));
      const { reads, cached } = manualStore({}, pending);
      const login = cached.findCredentials(AWA.email);
      const early = cached.findById(AWA.id);
      reads[0]?.resolve(AWA);
      expect(await early).to.equal(AWA);
      resolveLogin({ account: { ...AWA, tokensValidAfter: new Date(1_000) }, passwordHash: null });
      await login;
      void cached.findById(AWA.id);
      expect(reads).to.have.length(2);
    });
  });

  describe('findCredentials and replacePasswordHash', () => {
    it('go to the store each time, as calls of the store itself, and fail as it does', async () => {
      const calls: unknown[] = [];
      class Store implements UserStore {
        readonly name = 'mysql';
        readonly findById = () => Promise.resolve(AWA);
        findCredentials(...args: unknown[]) {
          calls.push([this.name, ...args]);
          return Promise.reject(DOWN);
        }
        replacePasswordHash(...args: string[]) {
          calls.push([this.name, ...args]);
          return Promise.resolve(args[0] === AWA.id);
        }
      }
      const cached = createCachedUserStore(new Store(), { maxStalenessMs: MAX });
      for (let again = 0; again < 2; again++) {
        expect(await rejectionOf(cached.findCredentials(AWA.email))).to.equal(DOWN);
        for (const id of [AWA.id, KOFI.id]) {
          expect(await cached.replacePasswordHash?.(id, 'old', 'new')).to.equal(id === AWA.id);
        }
      }
      const replaced = [AWA, KOFI].map(({ id }) => ['mysql', id, 'old', 'new']);
      const expected = [['mysql', AWA.email], ...replaced];
      expect(calls).to.deep.equal([...expected, ...expected]);
    });

    it('has neither replacePasswordHash nor findByIds when the store has none', () => {
      expect(manualStore().cached).to.have.all.keys('findCredentials', 'findById');
    });
  });

  it('throws at construction and says what is wrong', () => {
    const make = (options: unknown, userStore: unknown = accountStore()) => {
      return () => createCachedUserStore(userStore as never, options as never);
    };
    const where = 'createCachedUserStore:';
    const hint = 'Give an object that implements UserStore.';
    expectTypeError(make({ maxStalenessMs: 1 }, {}), `${where} the userStore has no method findCredentials. ${hint}`);
    expectTypeError(make({ ttl: 1 }), `${where} unknown option "ttl". Known options: maxStalenessMs, maxEntries.`);
    for (const options of [{ maxStalenessMs: 0 }, {}, undefined]) {
      expectTypeError(make(options), `${where} maxStalenessMs must be a whole number at least 1.`);
    }
    const options = { maxStalenessMs: 1, maxEntries: 0 };
    expectTypeError(make(options), `${where} maxEntries must be a whole number at least 1.`);
  });
});
