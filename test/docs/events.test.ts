import fs from 'node:fs';
import path from 'node:path';
import { emitWarning } from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import express from 'express';
import type { LoginFailure } from '../../src/index.js';
import { AWA } from '../helpers/accounts.js';
import { bearer, serve } from '../helpers/http.js';
import { loadSnippet, readPage, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/events.md';
const SOURCES = path.resolve(__dirname, '../../src');

/** Returns the names that open the items of a section. */
function itemsOf(heading: string): string[] {
  const [, section = ''] = readPage(PAGE).split(`## ${heading}\n`);
  const [own = ''] = section.split(/^## /m);
  return [...own.matchAll(/^- `(\w+)`: /gm)].map(([, name = '']) => name);
}

/** Runs a function, and returns the arguments of each call of `console.warn`. */
async function printedBy(run: () => Promise<unknown>): Promise<unknown[][]> {
  const printed: unknown[][] = [];
  const { warn } = console;
  console.warn = (...values: unknown[]) => void printed.push(values);
  try {
    await run();
  } finally {
    console.warn = warn;
  }
  return printed;
}

describe(PAGE, () => {
  before(() => {
    writeSnippets(PAGE);
  });

  it('shows an audit that prints failed logins and refused requests, and no email', async () => {
    const { createLoginRouter, createTokens, InMemoryUserStore, requireBearer } = await import('express-merchant-auth');
    const { stopListening } = loadSnippet('audit.ts', PAGE) as { stopListening: () => void };
    const app = express().use(createLoginRouter(new InMemoryUserStore()), requireBearer());
    const printed = await printedBy(async () => {
      const client = await serve(app);
      await client.send('POST', '/login', { body: { email: AWA.email, password: 'not the password' } });
      await client.send('GET', '/payments');
      const headers = bearer(createTokens().issue(AWA));
      await client.send('GET', '/payments?refercence_cl=CNT-1002', { headers });
    }).finally(stopListening);
    expect(printed.map(([, reason]) => reason)).to.deep.equal(['unknown_email', 'missing_token', 'foreign_reference']);
    expect(printed.map(([time]) => time instanceof Date)).to.deep.equal([true, true, true]);
    expect(printed.map(([, , who]) => who).slice(1)).to.deep.equal([undefined, AWA.id]);
    expect(printed[0]?.[2]).to.match(/^[\w-]{20,}$/);
    expect(JSON.stringify(printed)).not.to.include('awa@');
  });

  it('shows a listener for the warnings of this package', async () => {
    const known = process.listeners('warning');
    loadSnippet('warnings.ts', PAGE);
    const added = process.listeners('warning').filter((listener) => !known.includes(listener));
    try {
      const printed = await printedBy(async () => {
        emitWarning('of another package', { type: 'Warning', code: 'OTHER' });
        emitWarning('trust proxy is off', { type: 'ExpressMerchantAuthWarning', code: 'EMA_TRUST_PROXY' });
        // Warnings are emitted in process.nextTick, so before this.
        await setImmediate();
      });
      expect(printed).to.deep.equal([['EMA_TRUST_PROXY', 'trust proxy is off']]);
    } finally {
      for (const listener of added) process.off('warning', listener);
    }
  });

  it('lists the codes of all warnings in src', () => {
    const files = fs.readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const texts = files.map((name) => fs.readFileSync(path.join(SOURCES, name), 'utf8'));
    const codes = texts.flatMap((text) => [...text.matchAll(/'(EMA_\w+)'/g)].map(([, code = '']) => code));
    expect(codes).to.have.length.above(0);
    expect(itemsOf('The warnings')).to.have.members([...new Set(codes)]);
  });

  it('lists the reasons of a failed login', () => {
    const reasons: Readonly<Record<LoginFailure, true>> = {
      unknown_email: true,
      other_identifier: true,
      wrong_password: true,
      no_usable_hash: true,
      account_disabled: true,
    };
    expect(itemsOf('The reasons of a failed login')).to.deep.equal(Object.keys(reasons));
  });

  it('says when each event is reported', () => {
    const rows = [...readPage(PAGE).matchAll(/^\| `(\w+)` \| (.*?) \| .* \|$/gm)];
    const [, union = ''] =
      /export type AuthEvent =\n([\s\S]*?);\n\n/.exec(
        fs.readFileSync(path.join(SOURCES, 'events/auth-event.ts'), 'utf8'),
      ) ?? [];
    const types = [...union.matchAll(/readonly type: '(\w+)'/g)].map(([, type]) => type);
    expect(types).to.have.length.above(0);
    expect(rows.map(([, type]) => type)).to.deep.equal(types);
    for (const [, type, when] of rows) expect(when, type).not.to.equal('');
  });
});
