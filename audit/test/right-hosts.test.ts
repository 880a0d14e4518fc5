import type { Express } from 'express';
import { createTokens as createBuiltTokens } from 'express-merchant-auth';
import { createTokens } from '../../src/index.js';
import { authContract, type HostUnderTest, type Resource } from '../src/index.js';
import { AWA, FERMEE, KOFI, PASSWORD_HASH } from '../../test/helpers/accounts.js';
import { HOST, NO_ROWS } from './contract.js';
import { onEachExpress } from '../../test/helpers/on-each-express.js';
import { servePayments } from '../../test/helpers/payments.js';
import { loadApp, writeSnippets } from '../../test/helpers/snippets.js';
import { onEachUserStore } from '../../test/example-app/each-user-store.js';
import { serveApp } from '../../test/example-app/serve-app.js';

/** Runs the contract on a host, each case on its own. */
function holdsFor(title: string, createHost: () => Promise<HostUnderTest>): void {
  describe(title, () => {
    for (const { name, run } of authContract(createHost)) it(name, run);
  });
}

onEachExpress('authContract, which has every rule of docs/interface.md that binds the server', (framework) => {
  const createHost = async () => {
    const { client } = await servePayments(framework);
    return { ...HOST, baseUrl: `http://127.0.0.1:${client.port}`, tokens: createTokens(), ...NO_ROWS };
  };
  for (const { name, run } of authContract(createHost)) it(name, run);
});

describe('authContract, on the shortest host of README.md', () => {
  let app: Express;
  before(async () => {
    writeSnippets('README.md');
    app = await loadApp('shortest-host.mjs');
  });

  holdsFor('holds', () =>
    Promise.resolve({ app, merchant: HOST.merchant, transactions: HOST.transactions, ...NO_ROWS }),
  );
});

onEachUserStore('authContract holds for the example app', (createStore) => {
  holdsFor('with all of its routes', async () => {
    const opened = await createStore();
    const { store: userStore } = opened;
    await opened.seed([AWA, KOFI, FERMEE].map((account) => ({ ...account, passwordHash: PASSWORD_HASH })));
    const { app } = await serveApp({ userStore, tokens: createBuiltTokens() });
    let number = 0;
    const body = (refercence_cl: string | undefined) => ({
      ...HOST.transactions.body(refercence_cl),
      merchant_transaction_id: `contract-${(number += 1)}`,
    });
    const create: Resource['create'] = async (as) => {
      const { transaction } = (await as.send('POST /v1/transactions', body(as.referencl))) as {
        transaction: { id: string };
      };
      return { id: transaction.id };
    };
    return {
      ...HOST,
      app,
      transactions: { body },
      resources: [{ read: 'GET /v1/transactions/:id', create }],
      tokens: createTokens(),
      close: async () => opened.close?.(),
    };
  });
});
