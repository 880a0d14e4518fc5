import { expect } from 'chai';
import express, { type RequestHandler, type Router } from 'express';
import * as auth from 'express-merchant-auth';
import { AWA, withPassword } from '../helpers/accounts.js';
import {
  expectForeignReference,
  expectInvalidToken,
  expectMissingReference,
  FOREIGN_REFERENCE,
} from '../helpers/answers.js';
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

  it('names a place for the reference of a JSON Patch, and the names in values that no guard sees', async () => {
    const own = auth.requireOwnReference({ from: (req) => auth.merchantOf(req).referencl });
    const app = express().use(auth.requireBearer({ guard: createGuard() }));
    app.patch('/demanded', auth.requireOwnReference()).patch('/checked', own);
    app.use((_req, res) => void res.sendStatus(204));
    const client = await serve(app);
    const send = (path: string, body: object) => client.send('PATCH', path, { headers: awa, body });
    const patch = (value: string) => [{ op: 'replace', path: '/refercence_cl', value }];
    expectMissingReference(await send('/demanded', patch('BTQ-1001')));
    expect((await send('/checked', patch('BTQ-1001'))).status).to.equal(204);
    expectForeignReference(await send('/checked', patch('CNT-1002')));
    for (const body of [{ field: 'refercence_cl', value: 'CNT-1002' }, [['refercence_cl', 'CNT-1002']]]) {
      expect((await send('/', body)).status, JSON.stringify(body)).to.equal(204);
    }
  });

  it('shows an answer for nginx, which announces a body and sends none', async () => {
    const { createAuthRequest } = loadSnippet('auth-request.ts', PAGE) as {
      createAuthRequest: (of: auth.Guard) => Router;
    };
    const client = await serve(express().use(createAuthRequest(createGuard())));
    const announced = { 'Content-Type': 'application/json', 'Content-Length': '28' };
    const send = (headers: object) => client.send('GET', '/auth', { headers: { ...announced, ...headers } });
    const { status, headers } = await send(awa);
    expect([status, headers['x-merchant']]).to.deep.equal([204, 'BTQ-1001']);
    expectInvalidToken(await send(bearer('not.a.token')));
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
