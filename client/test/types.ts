// `npm run types` compiles it with the types of Node.js, and with those of the web alone.
import { type CachedToken, createMerchantClient, type MerchantClient, type TokenCache } from '../src/index.js';

declare const entry: CachedToken;
declare const stream: ReadableStream<Uint8Array<ArrayBuffer>>;

const account = { baseUrl: 'https://api.example/v1', email: 'awa@boutique.example', password: 'baobab-2026' };
const merchant: MerchantClient = createMerchantClient(account);

// The client accepts the platform's fetch as an option. Its own fetch has the type of the platform's fetch.
createMerchantClient({ ...account, fetch });
export const asFetch: typeof fetch = merchant.fetch;
export const asMiddleware: (request: Request) => Promise<Response> = merchant.fetch;
void merchant.fetch('/transactions', { method: 'POST', body: stream, signal: AbortSignal.timeout(1_000) });

// A cache may be synchronous or asynchronous. A miss is null or undefined.
const caches: readonly TokenCache[] = [
  { get: () => entry, set: () => undefined },
  { get: () => null, set: async () => Promise.resolve() },
  { get: () => Promise.resolve(undefined), set: (stored) => [stored].length },
];
for (const tokenCache of caches) createMerchantClient({ ...account, tokenCache });

// @ts-expect-error The password is needed.
createMerchantClient({ baseUrl: account.baseUrl, email: account.email });
// @ts-expect-error There is no such option.
createMerchantClient({ ...account, timeout: 5 });

export const unchecked: Promise<unknown> = merchant.json('GET', '/transactions');
export const typed: Promise<{ id: string }> = merchant.json<{ id: string }>('POST', '/transactions', {});
// @ts-expect-error A cache has both methods.
createMerchantClient({ ...account, tokenCache: { get: () => entry } });
