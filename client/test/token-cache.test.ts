import { expect } from 'chai';
import { type CachedToken, createMerchantClient, type TokenCache } from '../src/index.js';
import { freezeTime } from '../../test/helpers/frozen-time.js';
import { settle } from '../../test/helpers/until.js';
import { ACCOUNT, stubService } from './stub-service.js';

const ENTRY: CachedToken = {
  baseUrl: ACCOUNT.baseUrl,
  email: ACCOUNT.email,
  token: 'cached',
  referencl: 'BTQ-1001',
  expiresAt: Date.now() + 18_000_000,
};

/** Returns the tokens that one call was sent with. */
async function tokensWith(tokenCache: TokenCache): Promise<readonly unknown[]> {
  const service = stubService();
  service.live.add('cached');
  const client = createMerchantClient({ ...ACCOUNT, fetch: service.fetch, tokenCache });
  expect((await client.fetch('/a')).status).to.equal(200);
  return service.calls.map(({ token }) => token);
}

const never = () => new Promise<undefined>(() => undefined);
const reject = () => Promise.reject(new Error('The cache is away.'));
const ignore = () => undefined;

function fail(): never {
  throw new Error('The cache is away.');
}

describe('The token cache', () => {
  it('may be synchronous or asynchronous', async () => {
    expect(await tokensWith({ get: () => ENTRY, set: ignore })).to.deep.equal(['cached']);
    expect(await tokensWith({ get: () => Promise.resolve(ENTRY), set: ignore })).to.deep.equal(['cached']);
  });

  it('is called as a method', async () => {
    class Cache implements TokenCache {
      entry: CachedToken | undefined;
      get() {
        return this.entry;
      }
      set(entry: CachedToken) {
        this.entry = entry;
      }
    }
    const cache = new Cache();
    await tokensWith(cache);
    expect(cache.entry?.token).to.equal('token-1');
  });

  for (const [title, cache] of [
    ['undefined', { get: ignore, set: ignore }],
    ['null', { get: () => null, set: ignore }],
    ['an entry of another service', { get: () => ({ ...ENTRY, baseUrl: 'https://sandbox.example/v1' }), set: ignore }],
    ['an entry of another account', { get: () => ({ ...ENTRY, email: 'kofi@cantine.example' }), set: ignore }],
    ['an entry without a token', { get: () => ({ ...ENTRY, token: undefined }), set: ignore }],
    ['an entry whose token has a line break', { get: () => ({ ...ENTRY, token: 'cached\n' }), set: ignore }],
    ['an entry without a reference', { get: () => ({ ...ENTRY, referencl: undefined }), set: ignore }],
    ['an entry without an end', { get: () => ({ ...ENTRY, expiresAt: undefined }), set: ignore }],
    ['text', { get: () => JSON.stringify(ENTRY), set: ignore }],
    ['an exception', { get: fail, set: fail }],
    ['a rejection', { get: reject, set: reject }],
  ] as const) {
    it(`counts as a miss when it gives ${title}`, async () => {
      expect(await tokensWith(cache as unknown as TokenCache)).to.deep.equal(['token-1']);
    });
  }

  it('counts as a miss when it takes longer than a second', async () => {
    const time = freezeTime();
    const tokens = tokensWith({ get: never, set: never });
    await settle();
    time.pass(1);
    await settle();
    time.pass(1);
    expect(await tokens).to.deep.equal(['token-1']);
  });

  it('leaves no timer behind, so that a script can end', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    // mocha sets the timer of this test.
    await settle();
    const before = timers();
    await tokensWith({ get: ignore, set: ignore });
    expect(timers()).to.equal(before);
  });

  it('contains the token when login() has resolved', async () => {
    const stored: string[] = [];
    const service = stubService();
    const set = async ({ token }: CachedToken) => {
      await settle();
      stored.push(token);
    };
    await createMerchantClient({ ...ACCOUNT, fetch: service.fetch, tokenCache: { get: ignore, set } }).login();
    expect(stored).to.deep.equal(['token-1']);
  });
});
