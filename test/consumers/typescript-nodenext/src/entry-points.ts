import { createTokens, InMemoryUserStore, type Respond, type Tokens } from 'express-merchant-auth';
import { createMerchantClient, type MerchantClient } from 'express-merchant-auth-client';
import { guardedResponses, openApi } from 'express-merchant-auth/openapi';
import { auditRoutes, authContract } from 'express-merchant-auth-audit';
import { createTestTokens, userStoreContract } from 'express-merchant-auth/testing';
import { createApp } from './app.js';

const userStore = new InMemoryUserStore();
const tokens: Tokens = createTokens({ secret: 'the secret of a consumer, which has 32 bytes or more' });
const account = { email: 'awa@boutique.example', password: 'baobab-2026' };
const merchant = { ...account, referencl: 'BTQ-1001' };

export const respond: Respond = (error, _req, res) => {
  res.status(error.status).set(error.headers).json({ reason: error.code });
};
export const client: MerchantClient = createMerchantClient({ baseUrl: 'https://api.example/v1', ...account });
export const paths: object = {
  ...openApi({ basePath: '/v1' }).paths,
  '/v1/x': { get: { responses: guardedResponses } },
};
export const findings: Promise<readonly string[]> = auditRoutes(createApp(userStore)).then((audit) => audit.findings);
export const expired: string = createTestTokens(tokens).expired({
  id: '1',
  marchand: { referencl: 'BTQ-1001', statut: 1 },
});
export const cases: readonly { name: string; run(): Promise<void> }[] = [
  ...authContract(async () => ({ app: createApp(userStore), merchant, transactions: { body: () => ({}) } })),
  ...userStoreContract(async () => ({ store: userStore, seed: async () => undefined, close: async () => undefined })),
];
