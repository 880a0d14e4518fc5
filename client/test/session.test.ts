import { expect } from 'chai';
import type { CachedToken, MerchantClient, TokenCache } from '../src/index.js';
import { type FrozenTime, freezeTime } from '../../test/helpers/frozen-time.js';
import { rejectionOf } from '../../test/helpers/thrown.js';
import { settle } from '../../test/helpers/until.js';
import { ACCOUNT, clientOf, gate, type StubService, stubService, tokensOf } from './stub-service.js';

const HOUR_SECONDS = 3_600;
/** A token ends after five hours, and is renewed a minute before (docs/interface.md 5.4). */
const FRESH_SECONDS = 5 * HOUR_SECONDS - 60;

describe('The session of the client', () => {
  let time: FrozenTime;
  let service: StubService;
  let stored: CachedToken | undefined;
  let client: MerchantClient;
  /** The cache as a machine sees it whose clock is ahead by some seconds. */
  const cacheOf = (aheadSeconds = 0): TokenCache => {
    const shifted = (entry: CachedToken, seconds: number) => ({
      ...entry,
      expiresAt: entry.expiresAt + seconds * 1000,
    });
    return {
      get: () => stored && shifted(stored, -aheadSeconds),
      set: (entry) => (stored = shifted(JSON.parse(JSON.stringify(entry)) as CachedToken, aheadSeconds)),
    };
  };
  const tokenCache = cacheOf();

  beforeEach(() => {
    time = freezeTime();
    stored = undefined;
    service = stubService();
    client = clientOf(service, { tokenCache });
  });

  it('shares one login among callers that have no token, and keeps the token', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.fetch('/a')));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(await client.referencl()).to.equal('BTQ-1001');
    await client.fetch('/b');
    expect(service.logins).to.have.length(1);
  });

  it('renews the token a minute before its end, whatever happens to the clock of the system', async () => {
    await client.login();
    for (const hours of [6, -12]) {
      time.jump(hours * HOUR_SECONDS);
      await client.fetch('/a');
    }
    time.pass(FRESH_SECONDS - 1);
    await client.fetch('/b');
    time.pass(1);
    await Promise.all([client.fetch('/c'), client.fetch('/d')]);
    expect(tokensOf(service)).to.deep.equal(['token-1', 'token-1', 'token-1', 'token-2', 'token-2']);
    expect(service.logins).to.have.length(2);
  });

  it('logs in once for all calls when the Date of logins is six hours behind that of other answers', async () => {
    const { success } = service;
    service.answerLogin = () => {
      const answer = success();
      answer.headers.set('Date', new Date(Date.now() - 6 * HOUR_SECONDS * 1000).toUTCString());
      return answer;
    };
    service.answerCall = () => service.answer(200, {}, { Date: new Date().toUTCString() });
    for (let call = 0; call < 30; call++) await client.fetch('/a');
    expect(service.logins).to.have.length(1);
  });

  it('shares one login after the first 401 when the token has ended earlier, for example while a laptop slept', async () => {
    await client.fetch('/a');
    service.live.clear();
    const answers = await Promise.all([client.fetch('/b'), client.fetch('/c')]);
    expect([...answers.map(({ status }) => status), service.logins.length]).to.deep.equal([200, 200, 2]);
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

    it('stores a plain object without the password, with the end of the token by the clock of the system', async () => {
      await client.login();
      const { baseUrl, email } = ACCOUNT;
      const expiresAt = Date.now() + 5 * HOUR_SECONDS * 1000;
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
      await client.login();
      time.pass(FRESH_SECONDS);
      await other.fetch('/a');
      expect(tokensOf(service)).to.deep.equal(['token-2']);
    });

    it('does not use its own token again when a clock has jumped back', async () => {
      await client.login();
      time.pass(FRESH_SECONDS);
      time.jump(-6 * HOUR_SECONDS);
      await client.fetch('/a');
      expect(tokensOf(service)).to.deep.equal(['token-2']);
    });

    it('uses a token for at most five hours, even if its end is eleven hours away', async () => {
      await clientOf(service, { tokenCache: cacheOf(6 * HOUR_SECONDS) }).login();
      await client.fetch('/a');
      time.pass(FRESH_SECONDS);
      await client.fetch('/b');
      expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2']);
    });

    it('uses the token of login() when that ends while the cache is asked', async () => {
      const { opened, open } = gate<CachedToken>();
      const asking = clientOf(service, { tokenCache: { get: () => opened, set: () => undefined } });
      const call = asking.fetch('/a');
      await asking.login();
      open({ ...ACCOUNT, token: 'of-another-process', referencl: 'BTQ-1001', expiresAt: Date.now() + 3_600_000 });
      expect([(await call).status, ...tokensOf(service)]).to.deep.equal([200, 'token-1']);
    });

    for (const aheadHours of [-6, 0, 6]) {
      describe(`of a machine whose clock is ahead by ${aheadHours} hours`, () => {
        beforeEach(() => {
          other = clientOf(service, { tokenCache: cacheOf(aheadHours * HOUR_SECONDS) });
        });

        it('loses no call when all tokens end at once, including those of the other machine', async () => {
          for (let round = 0; round < 40; round++) {
            await other.login();
            for (const merchant of round % 2 ? [client, other] : [other, client]) {
              time.pass(60);
              expect((await merchant.fetch('/a')).status).to.equal(200);
              service.live.clear();
            }
          }
        });

        it('uses no token that was invalidated, nor an older one', async () => {
          await client.fetch('/a');
          await other.login();
          time.pass(60);
          client.invalidate();
          await client.fetch('/b');
          expect(tokensOf(service)).to.deep.equal(['token-1', 'token-3']);
        });
      });
    }

    it('sends a payment at most twice, even if its handler relays a code of the guard', async () => {
      await client.login();
      time.pass(60);
      await other.login();
      service.answerCall = () => service.answer(401, { error: 'invalid_token' });
      expect((await client.fetch('/a', { method: 'POST' })).status).to.equal(401);
      expect(service.calls).to.have.length(2);
    });
  });

  describe('in 6,000 payments over 30 ends of the token', () => {
    /** Makes the payments in turns, ends all tokens after each 200, and returns the numbers of payments and of logins. */
    async function pay(merchants: readonly MerchantClient[], end: (life: number) => void) {
      const paid: unknown[] = [];
      const { answerCall } = service;
      service.answerCall = async (call) => {
        const answer = await answerCall(call);
        if (answer.ok) paid.push(call.init.body);
        return answer;
      };
      for (let order = 0; order < 6_000; order++) {
        if (order > 0 && order % 200 === 0) end(order / 200);
        const merchant = merchants[order % merchants.length];
        await merchant?.fetch('/pay', { method: 'POST', body: String(order) });
        if (order % 20 === 0) time.pass(2);
      }
      expect(paid).to.deep.equal(Array.from({ length: 6_000 }, (_, order) => String(order)));
      return service.logins.length;
    }

    const expire = () => {
      service.live.clear();
      time.pass(5 * HOUR_SECONDS);
    };
    const jump = (life: number) => time.jump((life % 2 ? 6 : -6) * HOUR_SECONDS);

    it('pays each once with 30 logins when the tokens expire', async () => {
      expect(await pay([clientOf(service)], expire)).to.equal(30);
    });

    it('pays each once with 30 logins while the clock jumps by six hours both ways', async () => {
      const logins = await pay([clientOf(service)], (life) => {
        expire();
        jump(life);
      });
      expect(logins).to.equal(30);
    });

    it('pays each once with 30 logins when two processes share a cache, and all tokens are revoked', async () => {
      const merchants = [client, clientOf(service, { tokenCache })];
      const logins = await pay(merchants, () => {
        service.live.clear();
        time.pass(1);
      });
      expect(logins).to.equal(30);
    });

    it('pays each once when a third process has another token, and the clock jumps at each revocation', async () => {
      const third = clientOf(service, { tokenCache: { get: () => undefined, set: () => undefined } });
      const merchants = [client, clientOf(service, { tokenCache }), third];
      const logins = await pay(merchants, (life) => {
        service.live.clear();
        jump(life);
      });
      expect(logins).to.be.within(60, 90);
    });
  });
});
