import { expect } from 'chai';
import express, { type Express, type Router } from 'express';
import { authErrorHandler, createTokens, type InMemoryUserStore } from 'express-merchant-auth';
import { AWA, withPassword } from '../helpers/accounts.js';
import { expectForeignReference, expectMissingReference } from '../helpers/answers.js';
import { bearer, serve } from '../helpers/http.js';
import { printedBy } from '../helpers/printed.js';
import { loadSnippet, writeSnippets } from '../helpers/snippets.js';
import { collectWarnings } from '../helpers/warnings.js';

const PAGE = 'docs/bodies.md';

describe(PAGE, () => {
  const headers = () => bearer(createTokens().issue(AWA));

  it('shows a route whose parser is behind the guard', async () => {
    writeSnippets(PAGE);
    const { uploads, userStore } = loadSnippet('uploads.ts', PAGE) as { uploads: Router; userStore: InMemoryUserStore };
    userStore.put(withPassword(AWA));
    const client = await serve(express().use(uploads, authErrorHandler()));
    const send = (body: string) =>
      client.send('POST', '/forms', {
        headers: { ...headers(), 'Content-Type': 'application/x-www-form-urlencoded' },
        body,
      });
    expect((await send('refercence_cl=BTQ-1001')).status).to.equal(201);
    expectForeignReference(await send('refercence_cl=CNT-1002'));
    expectMissingReference(await send('amount=1'));
  });

  it('shows how findings are reported', async () => {
    collectWarnings();
    writeSnippets(PAGE);
    const { app, userStore, stopListening } = loadSnippet('reported.ts', PAGE) as {
      app: Express;
      userStore: InMemoryUserStore;
      stopListening: () => void;
    };
    userStore.put(withPassword(AWA));
    app.get('/', (_req, res) => void res.end('passed'));
    const client = await serve(app);
    const printed = await printedBy('warn', async () => {
      const answer = await client.send('GET', '/?refercence_cl=CNT-1002', { headers: headers() });
      expect(answer.text).to.equal('passed');
    }).finally(stopListening);
    expect(printed).to.deep.equal([[AWA.id, 'foreign_reference']]);
  });
});
