import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { emitWarning } from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import { createLoginRouter, createTokens, InMemoryUserStore, requireBearer } from 'express-merchant-auth';
import { AWA } from '../helpers/accounts.js';
import { FOREIGN_REFERENCE, MISSING_TOKEN } from '../helpers/answers.js';
import { printedBy } from '../helpers/diagnostics.js';
import { bearer, serve } from '../helpers/http.js';
import { loadSnippet, readPage, writeSnippet, writeSnippets } from '../helpers/snippets.js';
import { warningCodes } from '../spec/snapshot.js';

const PAGE = 'docs/events.md';

describe(PAGE, () => {
  before(() => {
    writeSnippets(PAGE);
  });

  it('shows an audit that prints failed logins and refused requests, and no email', async () => {
    const audit = loadSnippet('audit.ts', PAGE) as { identifyRequest: RequestHandler; stopListening: () => void };
    const { identifyRequest, stopListening } = audit;
    const app = express().use(identifyRequest, createLoginRouter(new InMemoryUserStore()), requireBearer());
    const ids: unknown[] = [];
    const printed = await printedBy('warn', async () => {
      const client = await serve(app);
      const send: typeof client.send = async (...request) => {
        const answer = await client.send(...request);
        ids.push(answer.headers['x-request-id']);
        return answer;
      };
      await send('POST', '/login', { body: { email: AWA.email, password: 'not the password' } });
      await send('GET', '/payments');
      const headers = bearer(createTokens().issue(AWA));
      await send('GET', '/payments?refercence_cl=CNT-1002', { headers });
    }).finally(stopListening);
    const reasons = ['unknown_email', MISSING_TOKEN, FOREIGN_REFERENCE];
    expect(printed.map(([, id, , reason]) => [id, reason])).to.deep.equal(
      reasons.map((reason, at) => [ids[at], reason]),
    );
    expect(new Set(ids)).to.have.property('size', 3);
    expect(JSON.stringify(printed)).not.to.include('awa@');
  });

  it('shows a file that gets the events without importing the package, and is loaded before the host', () => {
    const host = `
      import { createGuard } from 'express-merchant-auth';
      await createGuard().authenticate({ headers: {} }, { source: '203.0.113.7' }).catch(() => undefined);`;
    const folder = path.dirname(writeSnippet('host.mjs', host, PAGE));
    const { stderr } = spawnSync(process.execPath, ['--import', './audit-channel.mjs', 'host.mjs'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stderr.replace(/^\S+Z /, '')).to.equal(`${MISSING_TOKEN} 203.0.113.7\n`);
  });

  it('shows a listener for the warnings of this package', async () => {
    const known = process.listeners('warning');
    loadSnippet('warnings.ts', PAGE);
    const added = process.listeners('warning').filter((listener) => !known.includes(listener));
    try {
      const printed = await printedBy('warn', async () => {
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
    const [, section = ''] = readPage(PAGE).split('## The warnings\n');
    const listed = [...section.matchAll(/^- `(EMA_\w+)`: /gm)].map(([, code]) => code);
    expect(listed).to.have.members(warningCodes()).and.have.length.above(0);
  });
});
