import { generateKeyPairSync } from 'node:crypto';
import { mock } from 'node:test';
import { expect } from 'chai';
import request, { type Response } from 'supertest';
import { createPasswords, createTokens, InMemoryUserStore } from 'express-merchant-auth';
import { auditRoutes } from 'express-merchant-auth-audit';
import { demoAccounts } from '../../../example-app/src/demo-accounts.js';
import { createDocument } from '../../../example-app/src/openapi/document.js';
import { DatabaseUnavailable } from '../../../example-app/src/stores/database-unavailable.js';
import { catalogue } from '../../../src/errors/catalogue.js';
import { freezeTime } from '../../helpers/frozen-time.js';
import { serve } from '../../helpers/http.js';
import type { Operation } from '../../helpers/refusals.js';
import { answerChecker } from '../../openapi/answer-checker.js';
import { type Document, documentOf } from '../../openapi/host-document.js';
import { AWA, create, idOf, list, logIn, TRANSACTION, tryLogIn } from '../calls.js';
import { serveApp, type ServedApp } from '../serve-app.js';

/** The operations by their `operationId`. */
const OPERATIONS = {
  login: { method: 'POST', path: '/v1/login' },
  createTransaction: { method: 'POST', path: '/v1/transactions' },
  listTransactions: { method: 'GET', path: '/v1/transactions' },
  findTransaction: { method: 'GET', path: '/v1/transactions/{id}' },
  isHealthy: { method: 'GET', path: '/healthz' },
  isReady: { method: 'GET', path: '/readyz' },
  listKeys: { method: 'GET', path: '/jwks.json' },
} as const;

type Name = keyof typeof OPERATIONS;

const names = Object.keys(OPERATIONS) as Name[];

const post = ({ app, awa }: ServedApp, body: object) => request(app).post('/v1/transactions').set(awa).send(body);

/** A request to each operation behind the guard. */
const GUARDED = {
  createTransaction: (app: ServedApp) => post(app, TRANSACTION),
  listTransactions: ({ app, awa }: ServedApp) => list(app, awa),
  findTransaction: ({ app, awa }: ServedApp) => request(app).get('/v1/transactions/none').set(awa),
} as const;

type Provoke = () => Promise<Response>;

/** Provokes the answers that all operations behind the guard have in common. */
function commonAnswers(name: keyof typeof GUARDED): Readonly<Record<string, Provoke>> {
  const sendBroken = async (reason: unknown) => {
    const fail = () => Promise.reject(reason);
    return GUARDED[name](serveApp({ transactionStore: { add: fail, list: fail, find: fail, findRequested: fail } }));
  };
  return {
    [`${name} 429 too_many_requests`]: async () => {
      freezeTime();
      const served = serveApp({ requestsPerMinute: 1 });
      await list(served.app, served.awa);
      return GUARDED[name](served);
    },
    [`${name} 500 internal_error`]: () => sendBroken(new Error('no such table')),
    [`${name} 503 transactions_unavailable`]: () => sendBroken(new DatabaseUnavailable(new Error())),
  };
}

/** Provokes every answer of this app itself. */
const ANSWERS: Readonly<Record<string, Provoke>> = {
  'login 200': () => tryLogIn(serveApp().app, AWA),
  'login 500 internal_error': async () => {
    const verify = () => Promise.reject(new Error('The binary of this hash is missing.'));
    const passwords = createPasswords({ formats: [{ name: 'own', identify: (hash) => hash === 'own', verify }] });
    const userStore = new InMemoryUserStore(demoAccounts.map((account) => ({ ...account, passwordHash: 'own' })));
    return tryLogIn(serveApp({ passwords, userStore }).app, AWA);
  },
  'createTransaction 200': async () => {
    const app = serveApp();
    await post(app, TRANSACTION);
    return post(app, TRANSACTION);
  },
  'createTransaction 201': () => post(serveApp(), TRANSACTION),
  'createTransaction 400 invalid_transaction': () => post(serveApp(), [TRANSACTION]),
  'createTransaction 409 transaction_conflict': async () => {
    const app = serveApp();
    await post(app, TRANSACTION);
    return post(app, { ...TRANSACTION, amount: 1 });
  },
  ...commonAnswers('createTransaction'),
  'listTransactions 200': async () => {
    const { app, awa } = serveApp();
    await create(app, awa);
    return list(app, awa);
  },
  'listTransactions 400 invalid_query': () => {
    const { app, awa } = serveApp();
    return request(app).get('/v1/transactions?limit=0').set(awa);
  },
  ...commonAnswers('listTransactions'),
  'findTransaction 200': async () => {
    const { app, awa } = serveApp();
    const id = idOf(await create(app, awa));
    return request(app).get(`/v1/transactions/${id}`).set(awa);
  },
  'findTransaction 404 not_found': () => GUARDED.findTransaction(serveApp()),
  ...commonAnswers('findTransaction'),
  'isHealthy 200': () => request(serveApp().app).get('/healthz'),
  'isReady 200': () => request(serveApp().app).get('/readyz'),
  'isReady 503 not_ready': () => {
    const { app } = serveApp({ health: { checks: {}, stopping: AbortSignal.abort() } });
    return request(app).get('/readyz');
  },
  'listKeys 200': () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const tokens = createTokens({ keys: [{ kid: '2026-11', algorithm: 'ES256', privateKey, publicKey }] });
    return request(serveApp({ tokens }).app).get('/jwks.json');
  },
};

/** Returns the served document. Each reference to a header is replaced by that header. */
async function servedDocument(): Promise<Document> {
  const { app } = serveApp();
  const { text } = await request(app).get('/openapi.json');
  const { headers } = (JSON.parse(text) as { components: { headers: Record<string, object> } }).components;
  return JSON.parse(text, (_key, value: { $ref?: string } | null) => {
    const [, name] = /^#\/components\/headers\/(.+)$/.exec(value?.$ref ?? '') ?? [];
    return name === undefined ? value : headers[name];
  }) as Document;
}

describe('example-app: GET /openapi.json', () => {
  let document: Document;

  beforeEach('get the document', async () => {
    mock.method(console, 'error', () => undefined);
    document = await servedDocument();
  });

  afterEach('print again', () => {
    mock.restoreAll();
  });

  const responsesOf = (name: Name) => {
    const { method, path } = OPERATIONS[name];
    return document.paths[path]?.[method.toLowerCase()]?.responses ?? {};
  };

  const differencesIn = (operation: Operation, { status, headers, body }: Response) =>
    answerChecker(document)(operation, { status, headers, json: body });

  /** Returns the examples of the errors of this app. */
  function ownExamples(name: Name, status: string): [error: string, value: object][] {
    const response = responsesOf(name)[status];
    if (response === undefined || '$ref' in response) return [];
    const examples = Object.entries(response.content['application/json']?.examples ?? {});
    return examples.flatMap(([error, { value }]) => (error in catalogue ? [] : [[error, value]]));
  }

  it('describes every route of the app except the pages for people, and no other', async () => {
    const { app } = serveApp();
    // The router of the login answers other methods with 405.
    const routes = (await auditRoutes(app)).routes.map(
      ({ method, path }) => `${method.replace('ALL', 'POST')} ${path.replace(':id', '{id}')}`,
    );
    const pages = /^GET (\/|\/docs|\/docs\/[\w.-]+|\/(?:openapi|postman)\.json)$/;
    const described = Object.values(OPERATIONS).map(({ method, path }) => `${method} ${path}`);
    expect(described).to.have.members(routes.filter((route) => !pages.test(route)));
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations).to.have.members(described);
  });

  it('describes every answer of this app that the table below provokes, and no other', () => {
    const described = names.flatMap((name) =>
      Object.keys(responsesOf(name)).flatMap((status) =>
        status.startsWith('2')
          ? [`${name} ${status}`]
          : ownExamples(name, status).map(([error]) => `${name} ${status} ${error}`),
      ),
    );
    expect(described).to.have.members(Object.keys(ANSWERS));
  });

  for (const [title, provoke] of Object.entries(ANSWERS)) {
    it(`describes ${title}, and its example is the answer`, async () => {
      const [name, status, error] = title.split(' ') as [Name, string, string?];
      const answer = await provoke();
      expect(answer.status, answer.text).to.equal(Number(status));
      expect(differencesIn(OPERATIONS[name], answer)).to.deep.equal([]);
      if (error === undefined) return;
      expect(Object.fromEntries(ownExamples(name, status))[error]).to.deep.equal(answer.body);
    });
  }

  it('describes the refusals of the guard', async () => {
    const answer = await list(serveApp().app, {});
    expect(answer.status).to.equal(401);
    expect(differencesIn(OPERATIONS.listTransactions, answer)).to.deep.equal([]);
  });

  it('describes for each operation the answer of the server itself to headers that are too large', async () => {
    const { app } = serveApp();
    const answer = await request(app).get('/healthz').set('X-Large', 'x'.repeat(16_384));
    expect(answer).to.include({ status: 431, text: '' });
    for (const name of names) expect(responsesOf(name)).to.have.property('431');
  });

  it('has examples that work as they are', async () => {
    const { app } = serveApp();
    const { paths } = (await documentOf(await serve(app))) as unknown as {
      paths: Record<string, { post: { requestBody: { content: Record<string, { example: object }> } } }>;
    };
    const exampleOf = (path: string) => paths[path]?.post.requestBody.content['application/json']?.example;
    const headers = await logIn(app, exampleOf('/v1/login'));
    const answer = await request(app).post('/v1/transactions').set(headers).send(exampleOf('/v1/transactions'));
    expect(answer.status, answer.text).to.equal(201);
  });

  it('has no property of Unicode in a pattern, because validators in Python cannot compile it', () => {
    const patterns = [...JSON.stringify(createDocument([])).matchAll(/"pattern":"(.*?)"/g)].map(([, text]) => text);
    expect(patterns).to.have.property('length').above(2);
    for (const pattern of patterns) expect(pattern).not.to.match(/\\p/i);
  });

  it('lists the demo accounts, and no password without them', () => {
    const shown = JSON.stringify(createDocument(demoAccounts));
    const hidden = JSON.stringify(createDocument([]));
    for (const { email, password, marchand } of demoAccounts) {
      expect(shown).to.include(`| ${email} | ${password} | ${marchand.referencl} |`);
      expect(hidden).not.to.include(email).and.not.include(password);
    }
    expect(hidden).to.include('"example":{"email":"you@shop.example","password":"your password"}');
  });
});
