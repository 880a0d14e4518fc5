import { expect } from 'chai';
import type { Pool } from 'pg';
import { withPostgres } from '../helpers/databases.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { blockOf, loadSnippet, writeSnippet, writeSnippets } from '../helpers/snippets.js';
import { setVariable } from '../helpers/variables.js';

const PAGE = 'docs/recipes.md';

const APP = `const express = require('express');
const auth = require('express-merchant-auth');
const { throttle } = require('./connections');
exports.app = express().use('/v1', auth.createLoginRouter(new auth.InMemoryUserStore(), { throttle }));
`;

interface Lambda {
  handler(event: object, context: object): Promise<{ readonly statusCode: number }>;
}

withPostgres(`${PAGE}: connections and counters of a frozen process`, (database) => {
  it('count the failure of the first login in the database, over one connection', async () => {
    setVariable('DATABASE_URL', database.url);
    const warnings = collectWarnings();
    writeSnippets(PAGE);
    writeSnippet('app.js', APP, PAGE);
    await database.query(blockOf(PAGE, 'failed-logins.sql'));
    const { handler } = loadSnippet('lambda.js', PAGE) as Lambda;
    const { pool } = loadSnippet('connections.js', PAGE) as { readonly pool: Pool };
    try {
      const body = JSON.stringify({ email: 'nobody@boutique.example', password: 'calebasse-2026' });
      const headers = { 'Content-Type': 'application/json' };
      const requestContext = { identity: { sourceIp: '203.0.113.7' } };
      const event = { httpMethod: 'POST', path: '/v1/login', headers, body, requestContext };
      expect((await handler(event, {})).statusCode).to.equal(401);
      const counted = await database.query("SELECT points FROM failed_logins WHERE key LIKE '%:emailAndSource:%'");
      expect([counted, pool.totalCount, warnings]).to.deep.equal([[{ points: 1 }], 1, []]);
    } finally {
      await pool.end();
    }
  });
});
