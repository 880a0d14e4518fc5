import { expect } from 'chai';
import type { CachedToken, TokenCache } from '../src/index.js';
import { freezeTime } from '../../test/helpers/frozen-time.js';
import { countTimers } from '../../test/helpers/timers.js';
import { settle } from '../../test/helpers/until.js';
import { ACCOUNT, clientOf, stubService, tokensOf } from './stub-service.js';

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
  expect((await clientOf(service, { tokenCache }).fetch('/a')).status).to.equal(200);
  return tokensOf(service);
}

const never = () => new Promise<undefined>(() => undefined);
const reject = () => Promise.reject(new Error('The cache is away.'));
const ignore = () => undefined;

function fail(): never {
  throw new Error('The cache is away.');
}

describe('The token cache', () => {
  it('may be synchronous or asynchronous, and is called as a method', async () => {
    expect(await tokensWith({ get: () => Promise.resolve(ENTRY), set: ignore })).to.deep.equal(['cached']);
    const cache: TokenCache & { entry?: CachedToken | undefined } = {
      entry: ENTRY,
      get() {
        return this.entry;
      },
      set(entry) {
        this.entry = entry;
      },
    };
    expect(await tokensWith(cache)).to.deep.equal(['cached']);
    cache.entry = undefined;
    await tokensWith(cache);
    expect(cache).to.have.nested.property('entry.token', 'token-1');
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
    let tokens: readonly unknown[] | undefined;
    void tokensWith({ get: never, set: never }).then((sent) => (tokens = sent));
    for (const seconds of [0.999, 0.001, 0.999]) {
      await settle();
      time.pass(seconds);
    }
    await settle();
    expect(tokens).to.equal(undefined);
    time.pass(0.001);
    await settle();
    expect(tokens).to.deep.equal(['token-1']);
  });

  it('leaves no timer behind, so that a script can end', async () => {
    const timers = await countTimers();
    await tokensWith({ get: ignore, set: ignore });
    expect(timers()).to.equal(0);
  });

  it('contains the token when login() has resolved', async () => {
    const stored: string[] = [];
    const service = stubService();
    const set = async ({ token }: CachedToken) => {
      await settle();
      stored.push(token);
    };
    await clientOf(service, { tokenCache: { get: ignore, set } }).login();
    expect(stored).to.deep.equal(['token-1']);
  });
});
