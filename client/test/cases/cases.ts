import { createMerchantClient, MerchantApiError } from 'express-merchant-auth-client';
import { CREDENTIALS, counting, demandEqual, refusedCache, rejectionOf, transaction, type World } from './world.js';

/** The place where the cases run. */
export type Place = 'Node.js' | 'Chromium' | 'Deno' | 'Bun';

/** One promise of the client. The same list runs on each platform, so it uses the web platform only. */
export interface ClientCase {
  readonly name: string;
  /** Default: everywhere. */
  readonly places?: readonly Place[];
  readonly run: (world: World) => Promise<void>;
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };

const CASES: readonly ClientCase[] = [
  {
    name: 'logs in, and reads the transaction that it created',
    async run({ baseUrl }) {
      const merchant = createMerchantClient({ baseUrl, ...CREDENTIALS });
      const body = transaction(await merchant.referencl());
      const created = await merchant.fetch('/transactions', { method: 'POST', headers: JSON_HEADERS, body });
      demandEqual(created.status, 201);
      const { transaction: stored } = (await created.json()) as { readonly transaction: { readonly id: string } };
      const read = await merchant.fetch(new URL(`${baseUrl}/transactions/${stored.id}`));
      demandEqual(((await read.json()) as { readonly transaction: unknown }).transaction, stored);
    },
  },
  {
    name: 'resolves to a 403, which is an answer like any other',
    async run({ baseUrl }) {
      const counted = counting();
      const merchant = createMerchantClient({ baseUrl, ...CREDENTIALS, fetch: counted.fetch });
      const body = transaction('CNT-1002');
      const answer = await merchant.fetch('/transactions', { method: 'POST', headers: JSON_HEADERS, body });
      const { status, error } = await MerchantApiError.from(answer);
      demandEqual([status, error, counted.calls], [403, 'foreign_reference', 1]);
    },
  },
  ...(['text', 'a Blob', 'bytes', 'a Request'] as const).map((kind) => ({
    name: `logs in and sends ${kind} again after a 401`,
    async run({ baseUrl }: World) {
      const counted = counting();
      const tokenCache = refusedCache(baseUrl);
      const merchant = createMerchantClient({ baseUrl, ...CREDENTIALS, fetch: counted.fetch, tokenCache });
      const text = transaction('BTQ-1001');
      const init = { method: 'POST', headers: JSON_HEADERS };
      const url = `${baseUrl}/transactions`;
      const answer = await {
        text: () => merchant.fetch('/transactions', { ...init, body: text }),
        'a Blob': () => merchant.fetch('/transactions', { ...init, body: new Blob([text]) }),
        bytes: () => merchant.fetch('/transactions', { ...init, body: new TextEncoder().encode(text) }),
        'a Request': () => merchant.fetch(new Request(url, { ...init, body: text })),
      }[kind]();
      demandEqual([answer.status, counted.logins, counted.calls], [201, 1, 2]);
    },
  })),
  {
    name: 'does not send a stream again after a 401',
    // Chromium sends a stream over HTTP/2 only.
    places: ['Node.js', 'Deno', 'Bun'],
    async run({ baseUrl }) {
      const counted = counting();
      const tokenCache = refusedCache(baseUrl);
      const merchant = createMerchantClient({ baseUrl, ...CREDENTIALS, fetch: counted.fetch, tokenCache });
      const body = new Blob([transaction('BTQ-1001')]).stream();
      const init = { method: 'POST', headers: JSON_HEADERS, body, duplex: 'half' as const };
      const error = await rejectionOf(merchant.fetch('/transactions', init));
      demandEqual(error instanceof TypeError && error.message.includes('a stream cannot be sent again'), true);
      demandEqual([counted.logins, counted.calls], [0, 1]);
    },
  },
  {
    name: 'rejects with MerchantApiError when the login fails, without the password',
    async run({ baseUrl }) {
      const password = 'not the password of awa';
      const merchant = createMerchantClient({ baseUrl, ...CREDENTIALS, password });
      const error = await rejectionOf(merchant.fetch('/transactions'));
      if (!(error instanceof MerchantApiError)) throw error;
      demandEqual([error.status, error.error], [401, 'wrong_credentials']);
      const { message, stack } = error;
      demandEqual(JSON.stringify([error, message, stack]).includes(password), false);
    },
  },
  {
    name: 'leaves at once when its signal aborts, and the others get their answers',
    async run({ baseUrl }) {
      const merchant = createMerchantClient({ baseUrl, ...CREDENTIALS });
      const leaving = new AbortController();
      const left = rejectionOf(merchant.fetch('/transactions', { signal: leaving.signal }));
      const staying = merchant.fetch('/transactions');
      leaving.abort(new Error('The customer has left.'));
      demandEqual(String(await left), 'Error: The customer has left.');
      demandEqual((await staying).status, 200);
    },
  },
  {
    name: 'keeps the token on its origin when the service redirects to another one',
    async run({ redirectingUrl: baseUrl }) {
      const counted = counting();
      const merchant = createMerchantClient({ baseUrl, ...CREDENTIALS, fetch: counted.fetch });
      const answer = await merchant.fetch('/away');
      demandEqual([answer.status, await answer.json()], [401, { reached: 'another origin', authorization: null }]);
      demandEqual([counted.logins, counted.calls], [1, 1]);
    },
  },
  {
    name: 'does not follow a redirect of the login',
    async run({ redirectingUrl: baseUrl }) {
      const merchant = createMerchantClient({ baseUrl, ...CREDENTIALS, loginPath: '/away' });
      demandEqual((await rejectionOf(merchant.login())) instanceof TypeError, true);
    },
  },
];

export function casesFor(place: Place): readonly ClientCase[] {
  return CASES.filter(({ places }) => places?.includes(place) ?? true);
}
