import type { Express } from 'express';
import { createTokens, type InMemoryUserStore, type Tokens } from 'express-merchant-auth';
import { authContract, type HostUnderTest } from 'express-merchant-auth/testing';
import { AWA, FERMEE, KOFI, PASSWORD_HASH, withPassword } from '../helpers/accounts.js';
import { HOST } from '../helpers/contract.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { loadApp, loadSnippet, writeSnippets } from '../helpers/snippets.js';
import { onEachUserStore } from '../example-app/each-user-store.js';
import { serveApp } from '../example-app/serve-app.js';

const EXISTING = 'docs/existing-app.md';

/** Runs the contract on a host, each case on its own. */
function holdsFor(title: string, createHost: () => Promise<HostUnderTest>): void {
  describe(title, () => {
    for (const { name, run } of authContract(createHost)) it(name, run);
  });
}

onEachExpress('authContract, which has every rule of docs/interface.md that binds the server', (framework) => {
  const { auth, testing } = framework;
  const createHost = async () => {
    const { client } = await servePayments(framework);
    return { ...HOST, baseUrl: `http://127.0.0.1:${client.port}`, tokens: auth.createTokens() };
  };
  for (const { name, run } of testing.authContract(createHost)) it(name, run);
});

describe('authContract, on the hosts of README.md and docs/existing-app.md', () => {
  let shortest: Express;
  before(async () => {
    process.env['OPERATOR_SECRET'] = 'of the operator';
    writeSnippets('README.md');
    writeSnippets(EXISTING);
    shortest = await loadApp('shortest-host.mjs');
  });

  holdsFor('holds for the shortest host', () =>
    Promise.resolve({
      app: shortest,
      merchant: HOST.merchant,
      transactions: HOST.transactions,
    }),
  );

  holdsFor('holds for the app that exists', () => {
    const { app } = loadSnippet('app.ts', EXISTING) as { app: Express };
    const { userStore, tokens } = loadSnippet('auth.ts', EXISTING) as { userStore: InMemoryUserStore; tokens: Tokens };
    for (const account of [AWA, KOFI, FERMEE]) userStore.put(withPassword(account));
    return Promise.resolve({
      ...HOST,
      app,
      loginPath: '/api/v1/auth/login',
      transactions: { ...HOST.transactions, path: '/api/v1/payments' },
      tokens,
    });
  });
});

onEachUserStore('authContract holds for the example app', (createStore) => {
  holdsFor('with all of its routes', async () => {
    const opened = await createStore();
    const { store: userStore } = opened;
    await opened.seed([AWA, KOFI, FERMEE].map((account) => ({ ...account, passwordHash: PASSWORD_HASH })));
    const tokens = createTokens();
    const { app } = await serveApp({ userStore, tokens });
    let number = 0;
    return {
      ...HOST,
      app,
      transactions: {
        body: (refercence_cl) => ({
          ...HOST.transactions.body(refercence_cl),
          merchant_transaction_id: `contract-${(number += 1)}`,
        }),
        idOf: (answer: { transaction: { id: string } }) => answer.transaction.id,
      },
      tokens,
      close: async () => opened.close?.(),
    };
  });
});
