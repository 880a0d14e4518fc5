import { createTokens as createBuiltTokens } from 'express-merchant-auth';
import { createTokens } from '../../src/index.js';
import { authContract, type HostUnderTest } from '../src/index.js';
import { accountStore } from '../../test/helpers/accounts.js';
import { HOST, NO_ROWS } from './contract.js';
import { TRANSACTIONS } from './hosts.js';
import { onEachExpress } from '../../test/helpers/on-each-express.js';
import { servePayments } from '../../test/helpers/payments.js';
import { loadApp, writeSnippets } from '../../test/helpers/snippets.js';
import { serveApp } from '../../test/example-app/serve-app.js';

const OPEN = [
  'GET /',
  'GET /healthz',
  'GET /readyz',
  'GET /openapi.json',
  'GET /postman.json',
  'GET /jwks.json',
  'GET /docs',
  'GET /docs/*',
];

/** Runs the contract on a host, each case on its own. */
function holdsFor(createHost: () => Promise<HostUnderTest>): void {
  for (const { name, run } of authContract(createHost)) it(name, run);
}

onEachExpress('authContract, which has every rule of docs/interface.md that binds the server', (framework) => {
  holdsFor(async () => {
    const { client } = await servePayments(framework);
    return { ...HOST, baseUrl: `http://127.0.0.1:${client.port}`, tokens: createTokens(), ...NO_ROWS };
  });
});

describe('authContract holds on the shortest host of README.md', () => {
  let host: HostUnderTest;
  before(async () => {
    writeSnippets('README.md');
    const app = await loadApp('shortest-host.mjs');
    host = { app, merchant: HOST.merchant, transactions: HOST.transactions, ...NO_ROWS };
  });

  holdsFor(() => Promise.resolve(host));
});

describe('authContract holds for the example app with all of its routes', () => {
  let number = 0;
  const body = (refercence_cl: string | undefined) => ({
    ...HOST.transactions.body(refercence_cl),
    merchant_transaction_id: `contract-${(number += 1)}`,
  });

  holdsFor(() => {
    const { app } = serveApp({ userStore: accountStore(), tokens: createBuiltTokens() });
    return Promise.resolve({
      ...HOST,
      app,
      transactions: { body },
      resources: [
        {
          read: TRANSACTIONS.read,
          async create(as) {
            const answer = (await as.send('POST /v1/transactions', body(as.referencl))) as {
              transaction: { id: string };
            };
            return { id: answer.transaction.id };
          },
        },
      ],
      tokens: createTokens(),
      open: Object.fromEntries(OPEN.map((name) => [name, 'Anybody may read it.'])),
    });
  });
});
