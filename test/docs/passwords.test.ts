import { pbkdf2Sync } from 'node:crypto';
import { verify as verifyBcrypt } from '@node-rs/bcrypt';
import { expect } from 'chai';
import type { Passwords } from 'express-merchant-auth';
import type { createPasswords } from '../../src/index.js';
import { PASSWORD, PASSWORD_HASH } from '../helpers/accounts.js';
import { stubComputations } from '../helpers/computations.js';
import { withPostgres } from '../helpers/databases.js';
import { blockOf, loadSnippet, readPage, writeSnippets } from '../helpers/snippets.js';

type InternalPasswords = ReturnType<typeof createPasswords>;

const PAGE = 'docs/passwords.md';

const BCRYPT_OF_COST_12 = /^\$2y\$12\$[./A-Za-z0-9]{53}$/;

describe(PAGE, () => {
  const passwordsOf = (file: string) => (loadSnippet(file, PAGE) as { readonly passwords: Passwords }).passwords;

  before('write its files', () => {
    writeSnippets(PAGE);
  });

  it('shows the format of Django, which logs in with what Django has stored', async () => {
    const passwords = passwordsOf('django-format.ts');
    const salt = 'qrSt0uVw';
    const output = pbkdf2Sync('baobab-2026', salt, 1_000, 32, 'sha256').toString('base64');
    const stored = `pbkdf2_sha256$1000$${salt}$${output}`;
    expect(await passwords.verify('baobab-2026', stored)).to.equal(true);
    expect(await passwords.verify('not the password', stored)).to.equal(false);
    expect(await passwords.verify('baobab-2026', stored.replace('$1000$', '$9000000$'))).to.equal(false);
    expect(passwords.needsRehash(stored)).to.equal(true);
  });

  it('shows the way back: a good login replaces argon2id with a hash that bcrypt programs read', async () => {
    const passwords = passwordsOf('laravel-passwords.ts') as Passwords & Pick<InternalPasswords, 'upgrade'>;
    const next = await passwords.upgrade(PASSWORD, PASSWORD_HASH);
    expect(next).to.match(BCRYPT_OF_COST_12);
    expect(await verifyBcrypt(PASSWORD, next ?? '')).to.equal(true);
    expect(await passwords.hash(PASSWORD)).to.match(BCRYPT_OF_COST_12);
  });

  it('shows decoys of two formats, which no password matches', async () => {
    const computations = stubComputations();
    const passwords = passwordsOf('mixed-table.ts');
    expect(await passwords.verify(PASSWORD, null)).to.equal(false);
    expect(computations.map(({ algorithm }) => algorithm)).to.deep.equal(['bcrypt']);
  });

  withPostgres('counts rows', (database) => {
    it('by format, and those that have not gone back', async () => {
      await database.query('CREATE TABLE merchants (id serial, password_hash text)');
      const bcrypt = '$2y$10$92IXUNpkjO0rOQ5byMi.Ye4oKoEa3Ro9llC/.og/at2.uheWG/igi';
      for (const hash of [PASSWORD_HASH, bcrypt, bcrypt]) {
        await database.query('INSERT INTO merchants (password_hash) VALUES (?)', [hash]);
      }
      const counted = (await database.query(blockOf(PAGE, 'count-formats.sql'))) as { format: string; count: string }[];
      expect(counted.map(({ format, count }) => [format, Number(count)])).to.deep.equal([
        ['$2y$10$', 2],
        ['$argon2id$v=19$m=19456,t=2,p=1$', 1],
      ]);
      const [, sql = ''] = /`(SELECT count\(\*\) FROM merchants [^`]+)`/.exec(readPage(PAGE)) ?? [];
      const [left] = (await database.query(sql)) as { count: string }[];
      expect(Number(left?.count)).to.equal(1);
    });
  });
});
