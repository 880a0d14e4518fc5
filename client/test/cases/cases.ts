import { createMerchantClient, type MerchantClientOptions } from 'express-merchant-auth-client';

/** The place where the cases run. */
export type Place = 'Node.js' | 'Chromium' | 'Deno' | 'Bun';

/** The addresses that a case needs. */
export interface World {
  readonly place: Place;
  /** The base address of the example app. */
  readonly baseUrl: string;
  /** The base address of a service that redirects `/away` to another origin. */
  readonly redirectingUrl: string;
  /** A base address at which nothing listens. */
  readonly closedUrl: string;
}

const CREDENTIALS = { email: 'awa@boutique.example', password: 'baobab-2026' };
const POST = { method: 'POST', headers: { 'Content-Type': 'application/json' } };

const REDIRECT =
  'MerchantApiError: The service answered STATUS, a redirect. baseUrl or the path is wrong. The request may have run or not.';

/** Makes a client, and lists its requests. */
function countingClient(baseUrl: string, options: Partial<MerchantClientOptions> = {}) {
  const paths: string[] = [];
  const counting = (input: string | Request, init?: RequestInit) => {
    paths.push(new URL(typeof input === 'string' ? input : input.url).pathname);
    return fetch(input, init);
  };
  return { paths, merchant: createMerchantClient({ baseUrl, ...CREDENTIALS, fetch: counting, ...options }) };
}

/** Makes a client whose first token no service accepts. */
function refusedClient(baseUrl: string, options: Partial<MerchantClientOptions> = {}) {
  const expiresAt = Date.now() + 3_600_000;
  const entry = { baseUrl, email: CREDENTIALS.email, token: 'refused', referencl: 'BTQ-1001', expiresAt };
  return countingClient(baseUrl, { tokenCache: { get: () => entry, set: () => undefined }, ...options });
}

/** Returns the body of another transaction. */
function transaction(refercence_cl: string): string {
  return JSON.stringify({ refercence_cl, merchant_transaction_id: crypto.randomUUID(), amount: 2500, currency: 'XOF' });
}

/** Returns the error of a request that was redirected, without the status, which Chromium hides. */
async function redirectOf(place: Place, sent: Promise<unknown>): Promise<string> {
  const { name, message } = (await sent.catch((error: unknown) => error)) as Error;
  return `${name}: ${message.replace(place === 'Chromium' ? '3xx' : '307', 'STATUS')}`;
}

/** The parts of the client that depend on the platform's `fetch`, with what the client has to do. */
const CASES: Readonly<Record<string, readonly [run: (world: World) => Promise<unknown>, expected: unknown]>> = {
  'logs in, and creates a transaction with its own reference': [
    async ({ baseUrl }) => {
      const { merchant, paths } = countingClient(baseUrl);
      const body = transaction(await merchant.referencl());
      return [(await merchant.fetch('/transactions', { ...POST, body })).status, ...paths];
    },
    [201, '/v1/login', '/v1/transactions'],
  ],
  'logs in and sends a text, a Blob, bytes and a Request again after a 401': [
    async ({ baseUrl }) => {
      const text = transaction('BTQ-1001');
      const statuses: unknown[] = [];
      for (const body of [text, new Blob([text]), new TextEncoder().encode(text)]) {
        statuses.push((await refusedClient(baseUrl).merchant.fetch('/transactions', { ...POST, body })).status);
      }
      const { merchant, paths } = refusedClient(baseUrl);
      const request = new Request(`${baseUrl}/transactions`, { ...POST, body: text });
      return [...statuses, (await merchant.fetch(request)).status, ...paths];
    },
    [201, 200, 200, 200, '/v1/transactions', '/v1/login', '/v1/transactions'],
  ],
  'does not send a stream again after a 401': [
    async ({ baseUrl, place }) => {
      // Chromium sends a stream over HTTP/2 only.
      if (place === 'Chromium') return ['TypeError', '/v1/transactions'];
      const { merchant, paths } = refusedClient(baseUrl);
      const init = { ...POST, body: new Blob([transaction('BTQ-1001')]).stream(), duplex: 'half' as const };
      return [await merchant.fetch('/transactions', init).catch(nameOf), ...paths];
    },
    ['TypeError', '/v1/transactions'],
  ],
  'keeps the token on its origin when the service redirects to another one': [
    async ({ redirectingUrl }) => {
      const { merchant, paths } = countingClient(redirectingUrl);
      const answer = await merchant.fetch('/away');
      // The other origin refuses the token and has another time. Neither ends the token.
      await merchant.fetch('/away');
      return [answer.status, await answer.json(), ...paths];
    },
    [401, { reached: 'another origin', authorization: null }, '/v1/login', '/v1/away', '/v1/away'],
  ],
  'does not repeat a request that was redirected': [
    async ({ redirectingUrl }) => {
      const { merchant, paths } = countingClient(redirectingUrl);
      return [(await merchant.fetch('/paid', POST)).status, ...paths];
    },
    [401, '/v1/login', '/v1/paid'],
  ],
  'does not follow a redirect of a payment': [
    ({ redirectingUrl, place }) => redirectOf(place, countingClient(redirectingUrl).merchant.json('POST', '/away', {})),
    REDIRECT,
  ],
  'does not follow a redirect of the login': [
    ({ redirectingUrl, place }) =>
      redirectOf(place, countingClient(redirectingUrl, { loginPath: '/away' }).merchant.login()),
    REDIRECT,
  ],
  'says why there is no answer': [
    async ({ place, closedUrl }) => {
      const answer = refusedClient(closedUrl).merchant.json('GET', '/a');
      const message = await answer.catch((error: unknown) => (error as Error).message);
      // Chromium keeps the reason to itself.
      return place === 'Chromium' || /refused/i.test(String(message));
    },
    true,
  ],
  'waits until the timeout, and not for ever': [
    async ({ redirectingUrl }) => {
      const { merchant } = refusedClient(redirectingUrl, { timeoutMs: 1 });
      const { signal } = new AbortController();
      return [
        await merchant.fetch('/silent', { signal }).catch(nameOf),
        await merchant.json('GET', '/silent').catch(nameOf),
      ];
    },
    ['TimeoutError', 'TimeoutError'],
  ],
};

const nameOf = ({ name }: Error) => name;

/** Runs the cases one after another, and returns those that fail, with what the client did. */
export async function runCases(world: World): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const [name, [run, expected]] of Object.entries(CASES)) {
    const found = JSON.stringify(await run(world).catch(String));
    if (found !== JSON.stringify(expected)) failures.push(`${name}: ${found}`);
  }
  return failures;
}
