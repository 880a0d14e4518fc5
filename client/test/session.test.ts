import { expect } from 'chai';
import type { CachedToken, MerchantClient, TokenCache } from '../src/index.js';
import { type FrozenTime, freezeTime } from '../../test/helpers/frozen-time.js';
import { rejectionOf } from '../../test/helpers/thrown.js';
import { settle } from '../../test/helpers/until.js';
import { ACCOUNT, clientOf, gate, type StubService, stubService, tokensOf } from './stub-service.js';

const HOUR_MS = 3_600_000;
/** A token ends after five hours, and is renewed a minute before (docs/interface.md 5.4). */
const FRESH_SECONDS = 5 * 3_600 - 60;

describe('The session of the client', () => {
  let time: FrozenTime;
  let service: StubService;
  let stored: CachedToken | undefined;
  let client: MerchantClient;
  const tokenCache: TokenCache = {
    get: () => stored,
    set: (entry) => (stored = JSON.parse(JSON.stringify(entry)) as CachedToken),
  };

  beforeEach('make the local clock three days late, so that only the server can be right', () => {
    time = freezeTime();
    stored = undefined;
    service = stubService();
    service.aheadMs = 72 * HOUR_MS;
    client = clientOf(service, { tokenCache });
  });

  it('shares one login among callers that have no token, and keeps the token', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.fetch('/a')));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(await client.referencl()).to.equal('BTQ-1001');
    await client.fetch('/b');
    expect(service.logins).to.have.length(1);
  });

  it('renews the token a minute before its end, by the clock of the server', async () => {
    await client.login();
    time.pass(FRESH_SECONDS - 1);
    await client.fetch('/a');
    time.pass(1);
    await Promise.all([client.fetch('/b'), client.fetch('/c')]);
    expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2', 'token-2']);
    expect(service.logins).to.have.length(2);
  });

  it('updates the clock of the server with each answer', async () => {
    await client.login();
    time.jump(-6 * 3_600);
    service.aheadMs += 6 * HOUR_MS;
    await client.fetch('/a');
    time.pass(FRESH_SECONDS);
    await client.fetch('/b');
    expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2']);
  });

  it('logs in again at the next call after invalidate()', async () => {
    await client.fetch('/a');
    client.invalidate();
    await client.fetch('/b');
    expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2']);
  });

  it('logs in at login() even when there is a token, and shares a login in progress', async () => {
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
    let other: MerchantClient;
    beforeEach('start another process', () => {
      other = clientOf(service, { tokenCache });
    });

    it('uses the token of another process, without a login', async () => {
      await client.login();
      expect(await other.referencl()).to.equal('BTQ-1001');
      await other.fetch('/a');
      expect(tokensOf(service)).to.deep.equal(['token-1']);
      expect(service.logins).to.have.length(1);
    });

    it('uses the token of another process after a refused login', async () => {
      service.answerLogin = () => service.answer(401, { error: 'wrong_credentials' });
      await rejectionOf(client.fetch('/a'));
      service.answerLogin = () => service.success();
      await other.login();
      expect((await client.fetch('/a')).status).to.equal(200);
      expect(service.logins).to.have.length(2);
    });

    it('asks the cache once for all callers', async () => {
      const { opened, open } = gate();
      let asked = 0;
      const get = () => {
        asked++;
        return opened.then(() => undefined);
      };
      const asking = clientOf(service, { tokenCache: { get, set: () => undefined } });
      const calls = Promise.all([asking.fetch('/a'), asking.fetch('/b'), asking.referencl()]);
      await settle();
      open();
      await calls;
      expect([asked, service.logins.length]).to.deep.equal([1, 1]);
    });

    it('stores a plain object without the password, with the end of the token by the clock of the server', async () => {
      await client.login();
      const { baseUrl, email } = ACCOUNT;
      const expiresAt = service.now() + 5 * HOUR_MS;
      expect(stored).to.deep.equal({ baseUrl, email, token: 'token-1', referencl: 'BTQ-1001', expiresAt });
    });

    it('uses a token that another process stored after the last success of the current token', async () => {
      await client.fetch('/a');
      time.pass(2);
      service.live.clear();
      await other.login();
      time.pass(2);
      expect((await client.fetch('/b')).status).to.equal(200);
      expect(tokensOf(service)).to.deep.equal(['token-1', 'token-1', 'token-2']);
      expect(service.logins).to.have.length(2);
    });

    it('loses no call when all tokens end at once, including the one in the cache', async () => {
      await client.login();
      time.pass(2);
      await other.login();
      time.pass(2);
      await client.fetch('/a');
      service.live.clear();
      time.pass(2);
      expect((await client.fetch('/b')).status).to.equal(200);
      expect(tokensOf(service)).to.deep.equal(['token-1', 'token-1', 'token-3']);
    });

    it('does not use a token that is about to end', async () => {
      service.aheadMs = 0;
      await client.login();
      time.pass(FRESH_SECONDS);
      await other.fetch('/a');
      expect(tokensOf(service)).to.deep.equal(['token-2']);
    });
  });
});
