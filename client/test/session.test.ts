import { mock } from 'node:test';
import { expect } from 'chai';
import { type CachedToken, createMerchantClient, type MerchantClientOptions, type TokenCache } from '../src/index.js';
import { type FrozenTime, freezeTime } from '../../test/helpers/frozen-time.js';
import { settle } from '../../test/helpers/until.js';
import { ACCOUNT, gate, type StubService, stubService } from './stub-service.js';

const HOUR_MS = 3_600_000;
/** A token ends after five hours, and is renewed a minute before (docs/interface.md 5.4). */
const FRESH_SECONDS = 5 * 3_600 - 60;

interface SharedCache extends TokenCache {
  entry: CachedToken | undefined;
}

function sharedCache(): SharedCache {
  const cache: SharedCache = {
    entry: undefined,
    get: () => cache.entry,
    set(entry) {
      cache.entry = JSON.parse(JSON.stringify(entry)) as CachedToken;
    },
  };
  return cache;
}

function clientOf({ fetch }: StubService, options: Partial<MerchantClientOptions> = {}) {
  return createMerchantClient({ ...ACCOUNT, fetch, ...options });
}

const tokensOf = ({ calls }: StubService) => calls.map(({ token }) => token);

describe('The session of the client', () => {
  let time: FrozenTime;
  let service: StubService;

  beforeEach('make the local clock three days late, so that only the server can be right', () => {
    time = freezeTime();
    service = stubService();
    service.aheadMs = 72 * HOUR_MS;
  });

  it('shares one login among callers that have no token, and keeps the token', async () => {
    const client = clientOf(service);
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.fetch('/a')));
    expect(answers.every(({ status }) => status === 200)).to.equal(true);
    expect(await client.referencl()).to.equal('BTQ-1001');
    await client.fetch('/b');
    expect(service.logins).to.have.length(1);
  });

  it('renews the token a minute before its end, by the clock of the server', async () => {
    const client = clientOf(service);
    await client.login();
    time.pass(FRESH_SECONDS - 1);
    await client.fetch('/a');
    time.pass(1);
    await Promise.all([client.fetch('/b'), client.fetch('/c')]);
    expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2', 'token-2']);
    expect(service.logins).to.have.length(2);
  });

  it('updates the clock of the server with each answer', async () => {
    const client = clientOf(service);
    await client.login();
    // The local clock goes back by six hours.
    mock.timers.setTime(Date.now() - 6 * HOUR_MS);
    service.aheadMs += 6 * HOUR_MS;
    await client.fetch('/a');
    time.pass(FRESH_SECONDS);
    await client.fetch('/b');
    expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2']);
  });

  it('uses the local clock while no answer has a date that can be read', async () => {
    service.answer = (status, body) => Response.json(body, { status });
    const client = clientOf(service);
    await client.login();
    time.pass(FRESH_SECONDS - 1);
    await client.fetch('/a');
    time.pass(1);
    await client.fetch('/b');
    expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2']);
  });

  it('logs in again at the next call after invalidate()', async () => {
    const client = clientOf(service, { tokenCache: sharedCache() });
    await client.fetch('/a');
    client.invalidate();
    await client.fetch('/b');
    expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2']);
  });

  it('logs in at login() also when there is a token, and shares a login in progress', async () => {
    const client = clientOf(service, { tokenCache: sharedCache() });
    await client.login();
    const { opened, open } = gate();
    service.answerLogin = () => opened.then(() => service.success());
    const logins = Promise.all([client.login(), client.login()]);
    await settle();
    open();
    const tokens = (await logins).map(({ authorisation }) => authorisation.token);
    expect(tokens).to.deep.equal(['token-2', 'token-2']);
    await client.fetch('/a');
    expect(tokensOf(service)).to.deep.equal(['token-2']);
  });

  describe('with a tokenCache', () => {
    it('uses the token of another process, without a login', async () => {
      const tokenCache = sharedCache();
      await clientOf(service, { tokenCache }).login();
      const other = clientOf(service, { tokenCache });
      expect(await other.referencl()).to.equal('BTQ-1001');
      await other.fetch('/a');
      expect(tokensOf(service)).to.deep.equal(['token-1']);
      expect(service.logins).to.have.length(1);
    });

    it('asks the cache once for all callers', async () => {
      const { opened, open } = gate();
      let asked = 0;
      const get = () => {
        asked++;
        return opened.then(() => undefined);
      };
      const client = clientOf(service, { tokenCache: { get, set: () => undefined } });
      const calls = Promise.all([client.fetch('/a'), client.fetch('/b'), client.referencl()]);
      await settle();
      open();
      await calls;
      expect([asked, service.logins.length]).to.deep.equal([1, 1]);
    });

    it('stores a plain object without the password, with the end of the token by the clock of the server', async () => {
      const tokenCache = sharedCache();
      await clientOf(service, { tokenCache }).login();
      expect(tokenCache.entry).to.deep.equal({
        baseUrl: ACCOUNT.baseUrl,
        email: ACCOUNT.email,
        token: 'token-1',
        referencl: 'BTQ-1001',
        expiresAt: service.now() + 5 * HOUR_MS,
      });
    });

    it('uses a token that another process stored after the last success of the current token', async () => {
      const tokenCache = sharedCache();
      const [one, other] = [clientOf(service, { tokenCache }), clientOf(service, { tokenCache })];
      await one.fetch('/a');
      time.pass(2);
      service.live.clear();
      await other.login();
      time.pass(2);
      expect((await one.fetch('/b')).status).to.equal(200);
      expect(tokensOf(service)).to.deep.equal(['token-1', 'token-1', 'token-2']);
      expect(service.logins).to.have.length(2);
    });

    it('loses no call when all tokens end at once, also the one in the cache', async () => {
      const tokenCache = sharedCache();
      const one = clientOf(service, { tokenCache });
      await one.login();
      time.pass(2);
      await clientOf(service, { tokenCache }).login();
      time.pass(2);
      await one.fetch('/a');
      service.live.clear();
      time.pass(2);
      expect((await one.fetch('/b')).status).to.equal(200);
      expect(tokensOf(service)).to.deep.equal(['token-1', 'token-1', 'token-3']);
    });

    it('does not use the refused token again', async () => {
      const client = clientOf(service, { tokenCache: sharedCache() });
      await client.login();
      service.live.clear();
      expect((await client.fetch('/a')).status).to.equal(200);
      expect(service.logins).to.have.length(2);
    });

    it('does not use a token that is about to end', async () => {
      service.aheadMs = 0;
      const tokenCache = sharedCache();
      await clientOf(service, { tokenCache }).login();
      time.pass(FRESH_SECONDS);
      await clientOf(service, { tokenCache }).fetch('/a');
      expect(tokensOf(service)).to.deep.equal(['token-2']);
    });
  });
});
