import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Express } from 'express';
import { auditRoutes } from 'express-merchant-auth-audit';
import { blocksOf, loadSnippet, writeSnippets } from '../helpers/snippets.js';
import { itWithBash } from '../helpers/unavailable.js';

const PAGE = 'AGENTS.md';

describe(PAGE, () => {
  const cwd = path.dirname(writeSnippets(PAGE)[0] ?? '');

  itWithBash('has the command that makes a secret', () => {
    const [makeSecret] = blocksOf(PAGE).flatMap(({ language, text }) => (language === 'sh' ? [text] : []));
    execFileSync('bash', ['-c', makeSecret ?? ''], { cwd });
    expect(fs.readFileSync(path.join(cwd, '.env'), 'utf8')).to.match(/^JWT_SECRET=[\w-]{86}\n$/);
  });

  it('mounts its app in the right order: no route answers without a token', async () => {
    const { app } = (await loadSnippet('app.mjs', PAGE)) as { app: Express };
    const audit = await auditRoutes(app);
    expect(audit.routes.map(({ method, path: route }) => `${method} ${route}`)).to.include('POST /v1/transactions');
    expect(audit.findings, String(audit)).to.deep.equal([]);
  });
});
