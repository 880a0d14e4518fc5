import { inspect } from 'node:util';
import { expect } from 'chai';
import { callAsync } from '../../../src/base/host-calls.js';
import { InMemoryUserStore } from '../../../src/index.js';
import { type StoreUnderTest, userStoreContract } from '../../../src/testing/index.js';
import { ARGON2ID_HASH, BCRYPT_HASH } from '../../../src/testing/user-store-contract/merchants.js';
import { rejectionOf } from '../../helpers/thrown.js';
import { setVariable } from '../../helpers/variables.js';
import { faults } from '../faults/index.js';
import { foldings, spellings } from '../foldings.js';
import { createTableStore, folding, inLowerCase, RIGHT, type Table, toAccount } from '../table-store.js';

/** Returns the names and messages of the cases that a store fails. A case that is left out has no message. */
async function failuresOf(fault: Partial<Table>): Promise<Record<string, string>> {
  const failures: Record<string, string> = {};
  const skip = (reason: string) =>
    expect(reason).to.match(
      /^(This store has no (findByIds|replacePasswordHash)|No list came back: .* seed did not .*)\.$/,
    );
  for (const { name, run } of userStoreContract(() => Promise.resolve(createTableStore(fault)))) {
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

function createInMemoryStore(): Promise<StoreUnderTest> {
  const store = new InMemoryUserStore();
  return Promise.resolve({
    store,
    seed: (accounts) => callAsync(() => accounts.forEach((account) => store.put(account))),
    close: () => Promise.resolve(),
  });
}

const LEAST: Partial<Table> = { byIds: undefined, replace: undefined };
let idsGiven = 0;

/** Stores without a fault, by the words that say what is special about them. */
const CORRECT: Record<string, Partial<Table>> = {
  'a correct store over a table': {},
  'a store whose database gives the ids': {
    store: (row) => ({ ...row, id: `65f0c1d2e3b4a5968778${1000 + (idsGiven += 1)}` }),
    idsOf: (rows) => rows.map(({ id }) => id),
  },
  'a store that rounds instants up to a second': {
    store: ({ tokensValidAfter, ...rest }) => ({
      ...rest,
      tokensValidAfter: tokensValidAfter && new Date(Math.ceil(+tokensValidAfter / 1000) * 1000),
    }),
  },
  'a store without findByIds and replacePasswordHash, whose table has no null hashes, big ids or negative statut': {
    ...LEAST,
    store(row) {
      if (row.passwordHash === null || row.id.length > 9 || row.marchand.statut < 0) throw new Error('refused');
      return { ...row };
    },
  },
};
for (const { difference, fold } of [...foldings, ...spellings]) {
  CORRECT[`a store that ignores at lookup and at uniqueness if emails differ ${difference}`] = folding(fold);
}
for (const { difference, fold } of spellings) {
  CORRECT[`a store that ignores if emails differ ${difference}, and returns the stored text as identifier`] = {
    ...folding(fold),
    toIdentifier: ({ email }) => email,
  };
}

describe('userStoreContract', () => {
  beforeEach('use UTC, in which faults of local time do not show', () => setVariable('TZ', 'UTC'));

  describe('passes', () => {
    for (const { name, run } of userStoreContract(createInMemoryStore)) it(`InMemoryUserStore: ${name}`, run);

    for (const [title, table] of Object.entries(CORRECT)) {
      it(title, async () => {
        expect(await failuresOf(table)).to.deep.equal({});
      });
    }

    it('a store whose seed changes the accounts that it is given', async () => {
      const cases = userStoreContract(() => {
        const underTest = createTableStore();
        const seed: StoreUnderTest['seed'] = async (accounts) => {
          await underTest.seed(accounts);
          for (const account of accounts) {
            account.tokensValidAfter?.setTime(0);
            Object.assign(account, { id: 'changed', email: 'changed' });
          }
        };
        return Promise.resolve({ ...underTest, seed });
      });
      for (const { run } of cases) await run();
    });
  });

  describe('fails by one case, whose message says what to change, a store that', () => {
    const failing = { ...faults };
    for (const { difference, fold } of foldings) {
      const { byEmail, isSameEmail } = folding(fold);
      const fails = nameOf(difference);
      failing[`finds emails that differ ${difference}, and lets both register`] = {
        fault: { byEmail },
        fails,
        says: /while there was no other\. Dangerous: .* Give lookup and unique index one collation/,
      };
      failing[`does not find emails that differ ${difference}, and lets one register`] = {
        fault: { isSameEmail },
        fails,
        says: /found nobody, but the database refuses .* Compare as the unique index.* insert past its validation/,
      };
    }
    for (const [title, { fault, fails, says }] of Object.entries(failing)) {
      it(title, async () => {
        const failures = await failuresOf(fault);
        expect(Object.keys(failures)).to.deep.equal([fails]);
        expect(failures[fails]).to.match(says);
      });
    }

    it('returns the requested email instead of the stored one', async () => {
      const [{ difference, fold } = { difference: '', fold: String }] = foldings;
      const toCredentialsAccount: Table['toCredentialsAccount'] = (row, email) => ({ ...toAccount(row), email });
      const failures = await failuresOf({ ...folding(fold), toCredentialsAccount });
      expect(failures[nameOf(difference)]).to.match(
        /gave the account the email "AWA@.* Return the email as stored, "awa@/,
      );
    });
  });

  describe('says only what is true of a store that', () => {
    const BEYOND_ASCII = 'an email beyond ASCII is found as stored';
    const SAYS = /"\\u0130zmir-d@.* look them up in lower case too, and leave this case out: userStoreContract\(/;

    it('stores and looks up emails in lower case, and has the id as reference', async () => {
      const withIdAsReference: Table['toAccount'] = (row) =>
        toAccount({ ...row, marchand: { ...row.marchand, referencl: row.id } });
      const failures = await failuresOf({ ...inLowerCase, toAccount: withIdAsReference });
      expect(Object.keys(failures)).to.deep.equal([BEYOND_ASCII, 'marchand.referencl comes back as stored']);
      expect(failures[BEYOND_ASCII]).to.match(SAYS);
    });

    it('stores emails in lower case, and looks up the text that was sent', async () => {
      const failures = await failuresOf({ ...inLowerCase, byEmail: RIGHT.byEmail });
      expect(failures[BEYOND_ASCII]).to.match(SAYS);
      expect(failures[nameOf('by a capital i with a dot')]).to.equal(
        'findCredentials("\\u0130dris@boutique.example") found nobody, but that account was seeded. Give lookup and unique index one collation (and one folding). If emails are stored in another form, for example in lower case, look up that form.',
      );
      expect(Object.values(failures).join('\n')).not.to.contain('Dangerous');
    });

    it('finds the account of another merchant once both have registered', async () => {
      const byEmail: Table['byEmail'] = (rows, email) => rows.findLast((row) => row.email.toLowerCase() === email);
      expect((await failuresOf({ byEmail }))[nameOf('in letter case')]).to.match(
        /^findCredentials\("awa@boutique.example"\) found the account of "AWA@Boutique.example"\. Dangerous: the database lets both/,
      );
    });
  });

  it('has a unique name for every case, and a store above that fails it', () => {
    const names = userStoreContract(createInMemoryStore).map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    const failed = Object.values(faults).map(({ fails }) => fails);
    failed.push(...foldings.map(({ difference }) => nameOf(difference)));
    expect([...new Set(failed)].sort()).to.deep.equal([...names].sort());
  });

  describe('running a case', () => {
    const [anyCase] = ['findById resolves to null when no account has the id'];
    const run = (createStore: () => Promise<StoreUnderTest>, wanted = anyCase) =>
      userStoreContract(createStore)
        .find(({ name }) => name === wanted)
        ?.run() ?? Promise.reject(new Error(wanted));
    const messageOf = async (changes: Partial<StoreUnderTest>, fault: Partial<Table> = {}) =>
      ((await rejectionOf(run(() => Promise.resolve({ ...createTableStore(fault), ...changes })))) as Error).message;

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
      const throwing = () => {
        throw cause;
      };
      for (const createStore of [() => Promise.reject(cause), throwing]) {
        const error = (await rejectionOf(run(createStore))) as Error;
        expect(error.message).to.equal('createStore failed, so nothing was tested: connection refused.');
        expect(error.cause).to.equal(cause);
      }
    });

    it('fails with a message alone, because a stack and members of this package would hide it', async () => {
      const cause = new Error('no such table');
      for (const [changes, members] of [
        [{ store: createTableStore({ nobodyById: undefined }).store }, ['stack', 'message']],
        [{ seed: () => Promise.reject(cause) }, ['stack', 'message', 'cause']],
      ] satisfies [Partial<StoreUnderTest>, string[]][]) {
        const error = (await rejectionOf(run(() => Promise.resolve({ ...createTableStore(), ...changes })))) as Error;
        expect(Reflect.ownKeys(error)).to.have.members(members);
        expect(error.stack).to.equal(error.message);
      }
    });

    it('says that seed failed, for whom, and why', async () => {
      expect(await messageOf({ seed: () => Promise.reject(new Error('no such table')) })).to.equal(
        'seed rejected for "merchant-1@boutique.example": no such table. Insert each member unchanged. If the database chooses the ids, return them. If a model refused it, insert past its validation, because the column is tested and not the model. If the column holds user names, drop its CHECK and widen it in the test database.',
      );
      for (const ids of [[], [1], [''], ['1', '2']]) {
        expect(await messageOf({ seed: () => Promise.resolve(ids as string[]) })).to.contain(
          'seed resolved to a list that is not the ids of the 1 accounts given, as strings.',
        );
      }
    });

    it('passes a store under test without close', async () => {
      const underTest = createTableStore();
      delete underTest.close;
      await run(() => Promise.resolve(underTest));
    });

    it('says that close failed, unless the case failed before', async () => {
      const close = () => Promise.reject(new Error('still busy'));
      expect(await messageOf({ close })).to.equal('close failed after the case had passed: still busy.');
      expect(await messageOf({ close }, { nobodyById: undefined })).to.contain('Resolve to null');
    });

    it('refuses a value that is not a store under test', async () => {
      expect(() => userStoreContract({} as never)).to.throw(
        TypeError,
        'userStoreContract: createStore must be a function.',
      );
      for (const underTest of [undefined, { ...createTableStore(), store: {} }]) {
        expect(await rejectionOf(run(() => Promise.resolve(underTest as StoreUnderTest)))).to.be.instanceOf(TypeError);
      }
    });

    it('reports a store that does not find a seeded account', async () => {
      for (const [fault, name, says] of [
        [{ byId: () => undefined }, 'ids are strings', /^findById\("1"\) found nobody, but that account was seeded\.$/],
        [
          { byIds: () => ({ map: () => new Map() }) as never },
          'findByIds takes 500 ids',
          /resolved to \[object Map\].*\. Resolve to an array of accounts\.$/,
        ],
        [
          { byEmail: () => undefined },
          'an account does not carry its hash',
          /^findCredentials\("merchant-1@.* found nobody/,
        ],
      ] satisfies [Partial<Table>, string, RegExp][]) {
        expect((await failuresOf(fault))[name]).to.match(says);
      }
    });

    it('says one thing when even a plain email finds nobody, because seed puts its own user names', async () => {
      const failures = await failuresOf({ byEmail: (rows, name) => rows.find(({ id }) => name === `user-${id}`) });
      expect(Object.keys(failures)).to.have.length(29);
      for (const message of Object.values(failures)) {
        expect(message).to.match(
          /^findCredentials\(".*"\) found nobody, .* seeded\. seed must insert `email` [^.]+\.$/,
        );
      }
    });

    it('restores the time zone', async () => {
      for (const zone of ['Europe/Berlin', undefined]) {
        setVariable('TZ', zone);
        const offset = new Date(0).getTimezoneOffset();
        await run(createInMemoryStore, 'tokensValidAfter is the same instant in any time zone');
        expect([process.env['TZ'], new Date(0).getTimezoneOffset()]).to.deep.equal([zone, offset]);
      }
    });
  });
});
