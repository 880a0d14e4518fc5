import { expect } from 'chai';
import express from 'express';
import { createLoginRouter, InMemoryUserStore, type Passwords } from 'express-merchant-auth';
import { AWA } from '../helpers/accounts.js';
import { serve } from '../helpers/http.js';
import { complaintsAbout, loadSnippet, readPage, writeSnippets } from '../helpers/snippets.js';
import { FAULTY } from '../testing/faulty-hosts/index.js';

const PAGE = 'docs/testing.md';

describe(PAGE, () => {
  it('lists every fault with the tool that detects it', () => {
    const [, table = ''] = /<!-- faults -->\n([\s\S]*)<!-- \/faults -->/.exec(readPage(PAGE)) ?? [];
    const rows = [...table.matchAll(/^\| (.+?) +\| `?(\w+)`? +\|$/gm)].map(([, fault, tool]) => [fault, tool]);
    expect(rows.filter(([fault]) => fault !== 'fault')).to.deep.equal(FAULTY.map(({ fault, tool }) => [fault, tool]));
  });

  it('shows passwords that are fast in tests', async () => {
    expect(complaintsAbout(writeSnippets(PAGE))).to.deep.equal([]);
    const { fastPasswords: passwords } = loadSnippet('jest/fast-passwords.ts', PAGE) as { fastPasswords: Passwords };
    const userStore = new InMemoryUserStore([{ ...AWA, passwordHash: 'plain:baobab-2026' }]);
    const client = await serve(express().use(createLoginRouter(userStore, { passwords })));
    const logIn = (password: string) => client.send('POST', '/login', { body: { email: AWA.email, password } });
    expect((await logIn('baobab-2026')).status).to.equal(200);
    expect((await logIn('not the password')).status).to.equal(401);
  });
});
