import { expect } from 'chai';
import express, { type RequestHandler, type Router } from 'express';
import * as auth from 'express-merchant-auth';
import { AWA, withPassword } from '../helpers/accounts.js';
import { expectForeignReference, expectMissingReference, FOREIGN_REFERENCE } from '../helpers/answers.js';
import { collectWarnings, printedBy } from '../helpers/diagnostics.js';
import { bearer, serve } from '../helpers/http.js';
import { loadSnippet, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/bodies.md';

describe(PAGE, () => {
  before(() => void writeSnippets(PAGE));

  const tokens = auth.createTokens();
  const awa = bearer(tokens.issue(AWA));
  const createGuard = () => auth.createGuard({ tokens, userStore: new auth.InMemoryUserStore([withPassword(AWA)]) });

  it('shows a route whose parser is behind the guard', async () => {
    const { createUploads } = loadSnippet('uploads.ts', PAGE) as { createUploads: (guard: auth.Guard) => Router };
    const client = await serve(express().use(createUploads(createGuard()), auth.authErrorHandler()));
    const headers = { ...awa, 'Content-Type': 'application/x-www-form-urlencoded' };
    const send = (body: string) => client.send('POST', '/forms', { headers, body });
    expect((await send('refercence_cl=BTQ-1001')).status).to.equal(201);
    expectForeignReference(await send('refercence_cl=CNT-1002'));
    expectMissingReference(await send('amount=1'));
  });

  it('shows how findings are reported', async () => {
    collectWarnings();
    const { reportOnly, stopListening } = loadSnippet('reported.ts', PAGE) as {
      reportOnly: (guard: auth.Guard) => RequestHandler;
      stopListening: () => void;
    };
    const client = await serve(express().get('/', reportOnly(createGuard()), (_req, res) => void res.end('passed')));
    const printed = await printedBy('warn', async () => {
      expect((await client.send('GET', '/?refercence_cl=CNT-1002', { headers: awa })).text).to.equal('passed');
    }).finally(stopListening);
    expect(printed).to.deep.equal([[AWA.id, FOREIGN_REFERENCE]]);
  });
});
