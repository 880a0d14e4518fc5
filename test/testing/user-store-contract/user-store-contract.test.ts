import { inspect } from 'node:util';
import { expect } from 'chai';
import { callAsync } from '../../../src/errors/host-calls.js';
import { InMemoryUserStore } from '../../../src/index.js';
import { type StoreUnderTest, userStoreContract } from '../../../src/testing/index.js';
import { ARGON2ID_HASH, BCRYPT_HASH } from '../../../src/testing/user-store-contract/merchants.js';
import { rejectionOf } from '../../helpers/thrown.js';
import { faults } from '../faults/index.js';
import { foldings, spellings } from '../foldings.js';
import { createTableStore, type Table } from '../table-store.js';

/** Returns the names and messages of the cases that a store fails. A case that is left out has no message. */
async function failuresOf(createStore: () => Promise<StoreUnderTest>): Promise<Record<string, string>> {
  const failures: Record<string, string> = {};
  const skip = (reason: string) =>
    expect(reason).to.match(/^This store has no (findByIds|replacePasswordHash|allowedSources)\.$/);
  for (const { name, run } of userStoreContract(createStore)) {
    const [outcome] = await Promise.allSettled([run.call({ skip })]);
    if (outcome.status === 'fulfilled') continue;
    const reason: unknown = outcome.reason;
    expect(reason).to.be.instanceOf(Error);
    for (const hash of [BCRYPT_HASH, ARGON2ID_HASH]) expect(inspect(reason)).not.to.contain(hash.slice(-20));
    failures[name] = (reason as Error).message;
  }
  return failures;
}

const nameOf = (difference: string) => `emails that differ ${difference} are as different at lookup as at uniqueness`;

const failuresOfTable = (fault?: Partial<Table>) => failuresOf(() => Promise.resolve(createTableStore(fault)));

function createInMemoryStore(): Promise<StoreUnderTest> {
  const store = new InMemoryUserStore();
  return Promise.resolve({
    store,
    seed: (accounts) => callAsync(() => accounts.forEach((account) => store.put(account))),
    close: () => Promise.resolve(),
  });
}

describe('userStoreContract', () => {
  const { TZ: zone } = process.env;
  before('set the time zone to UTC, in which faults of local time do not show', () => void (process.env['TZ'] = 'UTC'));
  after('restore the time zone', () => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  describe('passes', () => {
    for (const { name, run } of userStoreContract(createInMemoryStore)) {
      it(`InMemoryUserStore: ${name}`, run);
    }

    it('a correct store over a table', async () => {
      expect(await failuresOfTable()).to.deep.equal({});
    });

    it('a store that folds emails at lookup as at uniqueness', async () => {
      for (const { fold } of foldings) {
        const isSameEmail = (one: string, other: string) => fold(one) === fold(other);
        const byEmail: Table['byEmail'] = (rows, email) => rows.find((row) => isSameEmail(row.email, email));
        expect(await failuresOfTable({ isSameEmail, byEmail })).to.deep.equal({});
      }
    });

    it('a store that ignores more differences than the package, and returns the stored text as email or as identifier', async () => {
      for (const { fold } of spellings) {
        const isSameEmail = (one: string, other: string) => fold(one) === fold(other);
        const byEmail: Table['byEmail'] = (rows, email) => rows.find((row) => isSameEmail(row.email, email));
        const table = { isSameEmail, byEmail };
        expect(await failuresOfTable(table)).to.deep.equal({});
        expect(await failuresOfTable({ ...table, toIdentifier: ({ email }) => email })).to.deep.equal({});
      }
    });

    it('a store whose database gives the ids', async () => {
      let count = 0;
      const store: Table['store'] = (row) => ({ ...row, id: `65f0c1d2e3b4a5968778${1000 + (count += 1)}` });
      expect(await failuresOfTable({ store, idsOf: (rows) => rows.map(({ id }) => id) })).to.deep.equal({});
    });

    it('a store whose seed changes the accounts that it is given', async () => {
      const createStore = () => {
        const underTest = createTableStore();
        const seed: StoreUnderTest['seed'] = async (accounts) => {
          await underTest.seed(accounts);
          for (const account of accounts) {
            account.tokensValidAfter?.setTime(0);
            Object.assign(account, { id: 'changed', email: 'changed' });
          }
        };
        return Promise.resolve({ ...underTest, seed });
      };
      expect(await failuresOf(createStore)).to.deep.equal({});
    });

    it('a store that rounds instants up to a second', async () => {
      const store: Table['store'] = ({ tokensValidAfter, ...rest }) => ({
        ...rest,
        tokensValidAfter: tokensValidAfter && new Date(Math.ceil(+tokensValidAfter / 1000) * 1000),
      });
      expect(await failuresOfTable({ store })).to.deep.equal({});
    });

    it('a store without findByIds and replacePasswordHash, and one whose table has no null hashes, big ids or negative statut', async () => {
      const store: Table['store'] = (row) => {
        if (row.passwordHash === null || row.id.length > 9 || row.marchand.statut < 0) throw new Error('refused');
        return { ...row };
      };
      expect(await failuresOfTable({ byIds: undefined, replace: undefined, store })).to.deep.equal({});
    });
  });

  describe('fails by one case, whose message says what to change, a store that', () => {
    for (const { title, fault, fails, says } of faults) {
      it(title, async () => {
        const failures = await failuresOfTable(fault);
        expect(Object.keys(failures)).to.deep.equal([fails]);
        expect(failures[fails]).to.match(says);
      });
    }

    for (const { difference, fold } of foldings) {
      const name = nameOf(difference);

      it(`finds emails that differ ${difference}, and lets both register`, async () => {
        const byEmail: Table['byEmail'] = (rows, email) => rows.find((row) => fold(row.email) === fold(email));
        const failures = await failuresOfTable({ byEmail });
        expect(Object.keys(failures)).to.deep.equal([name]);
        expect(failures[name]).to.match(
          /while there was no other\. Dangerous: .* Give lookup and unique index one collation/,
        );
      });

      it(`does not find emails that differ ${difference}, and lets one register`, async () => {
        const isSameEmail = (one: string, other: string) => fold(one) === fold(other);
        const failures = await failuresOfTable({ isSameEmail });
        expect(Object.keys(failures)).to.deep.equal([name]);
        expect(failures[name]).to.match(
          /found nobody, but the database refuses .* Compare as the unique index.* insert past its validation/,
        );
      });
    }

    it('returns the requested email instead of the stored one', async () => {
      const [{ difference, fold } = { difference: '', fold: String }] = foldings;
      const isSameEmail = (one: string, other: string) => fold(one) === fold(other);
      const failures = await failuresOfTable({
        isSameEmail,
        byEmail: (rows, email) => rows.find((row) => isSameEmail(row.email, email)),
        toCredentialsAccount: (row, email) => ({ ...row, passwordHash: undefined, email }),
      });
      const name = nameOf(difference);
      expect(Object.keys(failures)).to.include(name);
      expect(failures[name]).to.match(/gave the account the email "AWA@.* Return the email as stored, "awa@/);
    });
  });

  it('has a unique name for every case, and a store above that fails it', () => {
    const names = userStoreContract(createInMemoryStore).map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    const failed = [...faults.map(({ fails }) => fails), ...foldings.map(({ difference }) => nameOf(difference))];
    expect([...new Set(failed)].sort()).to.deep.equal([...names].sort());
  });

  describe('running a case', () => {
    const [anyCase] = ['findById resolves to null when no account has the id'];
    const run = (createStore: () => Promise<StoreUnderTest>, wanted = anyCase) =>
      userStoreContract(createStore)
        .find(({ name }) => name === wanted)
        ?.run() ?? Promise.reject(new Error(wanted));

    it('creates a store for each case, and closes it, after a failure too', async () => {
      const log: string[] = [];
      for (const fault of [{}, { nobodyById: undefined }]) {
        const cases = userStoreContract(() => {
          log.push('created');
          return Promise.resolve({ ...createTableStore(fault), close: () => callAsync(() => void log.push('closed')) });
        });
        expect(log.splice(0)).to.deep.equal([]);
        for (const { run: runCase } of cases) await Promise.allSettled([runCase()]);
        expect(log.splice(0)).to.deep.equal(cases.flatMap(() => ['created', 'closed']));
      }
    });

    it('says that createStore failed, and why', async () => {
      const cause = new Error('connection refused.');
      const failing = [
        () => Promise.reject(cause),
        () => {
          throw cause;
        },
      ];
      for (const createStore of failing) {
        const error = (await rejectionOf(run(createStore))) as Error;
        expect(error.message).to.equal('createStore failed, so nothing was tested: connection refused.');
        expect(error.cause).to.equal(cause);
      }
    });

    it('says that seed failed, for whom, and why', async () => {
      const seed = () => Promise.reject(new Error('no such table'));
      const error = (await rejectionOf(run(() => Promise.resolve({ ...createTableStore(), seed })))) as Error;
      expect(error.message).to.equal(
        'seed rejected for "merchant-1@boutique.example": no such table. Insert each member unchanged. If the database chooses the ids, return them. If a model refused it, insert past its validation, because the column is tested and not the model.',
      );
    });

    it('says that seed resolved to values that are not ids', async () => {
      for (const ids of [[], [1], [''], ['1', '2']]) {
        const seed = () => Promise.resolve(ids as string[]);
        const error = (await rejectionOf(run(() => Promise.resolve({ ...createTableStore(), seed })))) as Error;
        expect(error.message).to.contain(
          'seed resolved to a list that is not the ids of the 1 accounts given, as strings.',
        );
      }
    });

    it('leaves the cases on findByIds and replacePasswordHash out for a store without them', async () => {
      const leftOut: string[] = [];
      for (const { name, run: runCase } of userStoreContract(() =>
        Promise.resolve(createTableStore({ byIds: undefined, replace: undefined })),
      )) {
        await runCase.call({ skip: () => leftOut.push(name) });
      }
      expect(leftOut).to.deep.equal(
        userStoreContract(createInMemoryStore).flatMap(({ name }) =>
          /^(findByIds|replacePasswordHash) /.test(name) ? name : [],
        ),
      );
    });

    it('passes a store under test without close', async () => {
      const underTest = createTableStore();
      delete underTest.close;
      await run(() => Promise.resolve(underTest));
    });

    it('says that close failed, unless the case failed before', async () => {
      const close = () => Promise.reject(new Error('still busy'));
      const closing = (fault: Partial<Table>) => run(() => Promise.resolve({ ...createTableStore(fault), close }));
      const error = (await rejectionOf(closing({}))) as Error;
      expect(error.message).to.equal('close failed after the case had passed: still busy.');
      expect(((await rejectionOf(closing({ nobodyById: undefined }))) as Error).message).to.contain('Resolve to null');
    });

    it('refuses a value that is not a store under test', async () => {
      expect(() => userStoreContract({} as never)).to.throw(
        TypeError,
        'userStoreContract: createStore must be a function.',
      );
      const given: unknown[] = [undefined, { ...createTableStore(), store: {} }];
      for (const underTest of given) {
        expect(await rejectionOf(run(() => Promise.resolve(underTest as StoreUnderTest)))).to.be.instanceOf(TypeError);
      }
    });

    it('reports a store that does not find a seeded account', async () => {
      const failures = await failuresOfTable({ byId: () => undefined });
      expect(failures['ids are strings']).to.equal('findById("1") found nobody, but that account was seeded.');
      const list = await failuresOfTable({ byIds: () => ({ map: () => new Map() }) as never });
      expect(list['findByIds takes 500 ids']).to.match(
        /resolved to \[object Map\].*\. Resolve to an array of accounts\.$/,
      );
      const others = await failuresOfTable({ byEmail: () => undefined });
      expect(others['an account does not carry its hash']).to.match(/^findCredentials\("merchant-1@.* found nobody/);
    });

    it('restores the time zone', async () => {
      const name = 'tokensValidAfter is the same instant in any time zone';
      for (const before of ['Europe/Berlin', undefined]) {
        if (before === undefined) delete process.env['TZ'];
        else process.env['TZ'] = before;
        const offset = new Date(0).getTimezoneOffset();
        await run(createInMemoryStore, name);
        expect([process.env['TZ'], new Date(0).getTimezoneOffset()]).to.deep.equal([before, offset]);
      }
      process.env['TZ'] = 'UTC';
    });
  });
});
