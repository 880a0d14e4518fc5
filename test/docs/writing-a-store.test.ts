import path from 'node:path';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import { authErrorHandler, createLogin, InMemoryUserStore, type Login } from 'express-merchant-auth';
import { type StoreUnderTest, userStoreContract } from '../../src/testing/index.js';
import { AWA, PASSWORD, withPassword } from '../helpers/accounts.js';
import { withPostgres } from '../helpers/databases.js';
import { serve } from '../helpers/http.js';
import { blockOf, loadSnippet, readPage, rowsOf, writeSnippet } from '../helpers/snippets.js';
import { setVariable } from '../helpers/variables.js';
import { account, createTableStore, inLowerCase, RIGHT, type Table } from '../testing/table-store.js';

const PAGE = 'docs/writing-a-store.md';
const FILES = ['shops.sql', 'shop-store.ts', 'shop-store.test.ts'];

/** Texts of the page's files, each once in them, and what replaces them. */
type Changes = readonly (readonly [from: string, to: string])[];

/** The changes that the page names for a table with integer ids, emails in any letter case, and other types. */
const CHANGES: Changes = [
  [
    'const isId = (id: string) => /^[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}$/.test(id);',
    'const isId = (id: string) => /^[1-9]\\d{0,18}$/.test(id) && BigInt(id) < 2n ** 63n;',
  ],
  ['WHERE id = $1 AND', 'WHERE id = $1::bigint AND'],
  ["WHERE id = $1'", "WHERE id = $1::bigint'"],
  ['id = ANY($1)', 'id = ANY($1::bigint[])'],
  ['login = $1', 'lower(login) = lower($1)'],
  ['row.closed_at !== null', "row.blocked !== 'N'"],
];

const OTHER_TABLE: Changes = [
  ['id uuid PRIMARY KEY DEFAULT gen_random_uuid()', 'id integer PRIMARY KEY'],
  ['login text NOT NULL UNIQUE', 'login text NOT NULL'],
  ['state integer', 'state bigint'],
  ['closed_at timestamptz', "blocked char(1) NOT NULL DEFAULT 'N'"],
  ['ALTER TABLE', 'CREATE UNIQUE INDEX ON shops (lower(login));\nALTER TABLE'],
  ['closed_at, logged_out_at)', 'blocked, logged_out_at, id)'],
  ['$6, $7)', '$6, $7, $8)'],
  ['for (const { email', 'for (const { id, email'],
  ['disabled ? new Date() : null', "disabled ? 'Y' : 'N'"],
  ['closedAt, tokensValidAfter]', 'closedAt, tokensValidAfter, id]'],
];

const WITHOUT_UPGRADE = { replace: undefined };

/** Tables that must not change, by what the page calls them. */
const UNCHANGED: Readonly<Record<string, Partial<Table>>> = {
  'has no `logged_out_at`': { ...WITHOUT_UPGRADE, ...account(() => ({ tokensValidAfter: null })) },
  'has a hash in `char(60)`': {
    ...WITHOUT_UPGRADE,
    store(row) {
      if (row.passwordHash && row.passwordHash.length > 60) throw new Error('value too long for type character(60)');
      return RIGHT.store(row);
    },
    toHash: ({ passwordHash }) => passwordHash?.padEnd(60) ?? null,
  },
  'has no `closed_at`': account(() => ({ disabled: false })),
  'has emails in lower case (`lowercase: true`)': inLowerCase,
  'has no phone, reference and status': account(({ id }) => ({
    phone: '',
    marchand: { referencl: `admin:${id}`, statut: 0 },
  })),
};

/** Writes the files of the page with these changes, and with the suite's function exported in place of its tests. */
function writeChanged(page: string, changes: Changes): string {
  const texts = FILES.map((file) => blockOf(PAGE, file).replace(/^import \{ describe.*|^describe[\s\S]*/gm, ''));
  for (const [from, to] of changes) {
    const index = texts.findIndex((text) => text.includes(from));
    expect(texts[index]?.split(from), from).to.have.length(2);
    texts[index] = texts[index]?.replace(from, () => to) ?? '';
  }
  const [table = '', store = '', suite = ''] = texts;
  writeSnippet('shop-store.ts', store, page);
  writeSnippet('shop-store.test.ts', `${suite}export { createStore };\n`, page);
  return path.dirname(writeSnippet('shops.sql', table, page));
}

/** A table with names of states, and in the suite the names of the integers. */
const namedStates = (record: string): Changes => [
  ['state integer NOT NULL DEFAULT 1', "state text NOT NULL DEFAULT 'active'"],
  ['Number(row.state)', `(${record} as Record<string, number>)[row.state]!`],
  ['const { referencl, statut } = marchand;', 'const { referencl, statut } = marchand;\nconst state = nameOf(statut);'],
  ['referencl, statut, closedAt', 'referencl, state, closedAt'],
  [
    'const INSERT =',
    `const nameOf = (statut: number) => {
      if (statut > 1 || statut < 0) throw new Error('It has no name.');
      return statut === 1 ? 'active' : 'blocked';
    };
    const INSERT =`,
  ],
];

/** Loads the page's suite where it is started: beside `shops.sql`. */
function loadSuite(page: string, changes: Changes): { readonly createStore: () => Promise<StoreUnderTest> } {
  const before = process.cwd();
  process.chdir(writeChanged(page, changes));
  try {
    return loadSnippet('shop-store.test.ts', page) as ReturnType<typeof loadSuite>;
  } finally {
    process.chdir(before);
  }
}

/** Returns the names of the cases of the kit that fail. */
async function failedCases(createStore: () => Promise<StoreUnderTest>, only = /./): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of userStoreContract(createStore)) {
    if (only.test(name)) await run.call({ skip: () => undefined }).catch(() => failed.push(name));
  }
  return failed;
}

describe(PAGE, () => {
  it('names each change that another table needs', () => {
    for (const [, to] of CHANGES) expect(readPage(PAGE)).to.include(/\$1::bigint(?!\[)/.exec(to)?.[0] ?? to);
  });

  it('shows a suite that needs the name of a database, and takes no other one', () => {
    setVariable('TEST_DATABASE_URL', '');
    // If the suite connects all the same, nothing answers there.
    setVariable('PGHOST', '127.0.0.1');
    setVariable('PGPORT', '1');
    expect(() => loadSuite('docs/no-database', [])).to.throw('TEST_DATABASE_URL is not set.');
  });

  withPostgres('the contract kit', (database) => {
    /** Returns the names of the cases that fail with these changes of the page. */
    const failuresWith = (page: string, changes: Changes, only?: RegExp) => {
      setVariable('TEST_DATABASE_URL', database.url);
      return failedCases(loadSuite(page, changes).createStore, only);
    };

    it('passes with the store of the page, and nothing is left in the database', async () => {
      expect(await failuresWith('docs/own-table', [])).to.deep.equal([]);
      const rows = await database.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'contract%'");
      expect(rows).to.deep.equal([]);
    });

    it('passes over another table, once the store is changed', async () => {
      expect(await failuresWith('docs/another-table', [...CHANGES, ...OTHER_TABLE])).to.deep.equal([]);
    });

    it('takes names of states, and finds a wrong integer', async () => {
      const [, record = ''] = /integers, such as `(\{[^`]+\})`/.exec(readPage(PAGE)) ?? [];
      expect(await failuresWith('docs/named-states', namedStates(record), /statut/)).to.deep.equal([]);
      const wrong = namedStates(record.replace('0', '2'));
      const failed = await failuresWith('docs/wrong-state', wrong, /statut/);
      expect(failed).to.deep.equal(['marchand.statut comes back as stored']);
    });
  });

  for (const [table, fault] of Object.entries(UNCHANGED)) {
    it(`names the cases of the kit that fail over a table that ${table.replaceAll('`', '')}`, async () => {
      const [, cell = ''] = rowsOf(PAGE).find(([first]) => first === table) ?? [];
      const named = [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
      expect(await failedCases(() => Promise.resolve(createTableStore(fault)))).to.deep.equal(named);
    });
  }

  it('shows a login route that takes plus tags and phone numbers in several forms for the stored login', async () => {
    writeSnippet('own-login.ts', blockOf(PAGE, 'own-login.ts'), PAGE);
    const { createOwnLogin } = loadSnippet('own-login.ts', PAGE) as {
      createOwnLogin: (login: Login) => RequestHandler[];
    };
    const accounts = [AWA.email, '+2250700000001'].map((email, id) => withPassword({ ...AWA, id: String(id), email }));
    const login = createLogin(new InMemoryUserStore(accounts));
    const client = await serve(express().post('/login', createOwnLogin(login)).use(authErrorHandler()));
    for (const [email, status] of [
      ['awa+till@boutique.example', 200],
      ['07 00 00 00 01', 200],
      ['kofi+till@boutique.example', 401],
      [1, 400],
    ] as const) {
      const answer = await client.send('POST', '/login', { body: { email, password: PASSWORD } });
      expect(answer.status, String(email)).to.equal(status);
    }
  });
});
