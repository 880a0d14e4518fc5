// `npm run types` compiles it with the types of Node.js, and with those of the web alone.
import {
  type CachedToken,
  createMerchantClient,
  type LoginSuccess,
  MerchantApiError,
  type MerchantClient,
  type TokenCache,
} from '../src/index.js';

declare const entry: CachedToken;
declare const caught: unknown;
declare const stream: ReadableStream<Uint8Array<ArrayBuffer>>;

const account = { baseUrl: 'https://api.example/v1', email: 'awa@boutique.example', password: 'baobab-2026' };
const merchant: MerchantClient = createMerchantClient(account);

// The client accepts the platform's fetch as an option. Its own fetch has the type of the platform's fetch.
createMerchantClient({ ...account, fetch });
export const asFetch: typeof fetch = merchant.fetch;
export const asMiddleware: (request: Request) => Promise<Response> = merchant.fetch;
export const { fetch: handedOn, login, invalidate, referencl } = merchant;
void merchant.fetch('/transactions', { method: 'POST', body: stream, signal: AbortSignal.timeout(1_000) });
void merchant.fetch(new URL('https://api.example/v1/transactions'));

// A cache may be synchronous or asynchronous. A miss is null or undefined.
const caches: readonly TokenCache[] = [
  { get: () => entry, set: () => undefined },
  { get: () => null, set: async () => Promise.resolve() },
  { get: () => Promise.resolve(undefined), set: (stored) => [stored].length },
];
for (const tokenCache of caches) createMerchantClient({ ...account, tokenCache });

// The members of the login have the interface's spelling and constants.
export const constants: Promise<readonly [200, 'bearer', string, number]> = merchant
  .login()
  .then(({ code, authorisation, marchand }: LoginSuccess) => {
    return [code, authorisation.type, marchand.referencl, marchand.statut];
  });

if (caught instanceof MerchantApiError) {
  const seconds: number | undefined = caught.retryAfterSeconds;
  const shown: string = caught.description;
  console.log(caught.status, caught.error, seconds, shown, caught.body);
}

// @ts-expect-error The password is needed.
createMerchantClient({ baseUrl: account.baseUrl, email: account.email });
// @ts-expect-error There is no such option.
createMerchantClient({ ...account, timeout: 5 });
// @ts-expect-error A cache has both methods.
createMerchantClient({ ...account, tokenCache: { get: () => entry } });
