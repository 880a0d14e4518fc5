import { expect } from 'chai';
import type { CachedToken, MerchantClient, TokenCache } from '../src/index.js';
import { WRONG_CREDENTIALS } from '../../test/helpers/answers.js';
import { type FrozenTime, freezeTime } from '../../test/helpers/frozen-time.js';
import { rejectionOf } from '../../test/helpers/thrown.js';
import { settle } from '../../test/helpers/until.js';
import { ACCOUNT, clientOf, gate, refusedToken, type StubService, stubService, tokensOf } from './stub-service.js';

const HOUR_SECONDS = 3_600;
/** A token ends after five hours, and is renewed a minute before (docs/interface.md 5.4). */
const FRESH_SECONDS = 5 * HOUR_SECONDS - 60;

describe('The session of the client', () => {
  let time: FrozenTime;
  let service: StubService;
  let stored: CachedToken | undefined;
  let client: MerchantClient;
  /** The cache as a machine sees it whose clock is ahead by some seconds. */
  const cacheOf = (aheadSeconds = 0): TokenCache => ({
    get: () => stored && { ...stored, expiresAt: stored.expiresAt - aheadSeconds * 1000 },
    set: (entry) => (stored = { ...entry, expiresAt: entry.expiresAt + aheadSeconds * 1000 }),
  });
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
      await other.fetch('/a');
      expect([await other.referencl(), ...tokensOf(service)]).to.deep.equal(['BTQ-1001', 'token-1']);
    });

    it('uses the token of another process after a refused login', async () => {
      service.answerLogin = () => service.answer(401, { error: WRONG_CREDENTIALS });
      await rejectionOf(client.fetch('/a'));
      service.answerLogin = () => service.success();
      await other.login();
      expect((await client.fetch('/a')).status).to.equal(200);
      expect(service.logins).to.have.length(2);
    });

    it('asks the cache once for all callers', async () => {
      let asked = 0;
      const get = () => settle().then(() => void asked++);
      const asking = clientOf(service, { tokenCache: { get, set: () => undefined } });
      await Promise.all([asking.fetch('/a'), asking.fetch('/b'), asking.referencl()]);
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

    it('ignores an entry that is older than the last success of the refused token', async () => {
      await client.login();
      time.pass(1);
      await other.login();
      time.pass(1);
      await client.fetch('/a');
      service.live.clear();
      time.pass(1);
      expect((await client.fetch('/b')).status).to.equal(200);
    });

    for (const hours of [0, -6]) {
      it(`does not use a token that is about to end, nor its own again, after a jump of ${hours} hours`, async () => {
        await client.login();
        time.pass(FRESH_SECONDS);
        time.jump(hours * HOUR_SECONDS);
        await (hours ? client : other).fetch('/a');
        expect(tokensOf(service)).to.deep.equal(['token-2']);
      });
    }

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
          time.pass(1);
          await other.login();
          time.pass(1);
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
      service.answerCall = refusedToken;
      expect((await client.fetch('/a', { method: 'POST' })).status).to.equal(401);
      expect(service.calls).to.have.length(2);
    });
  });

  describe('in 1,500 payments, of which each 50th finds that all tokens have ended', () => {
    for (const [title, sharing, most, jumps, lifeSeconds] of [
      ['when they expire', [false], 30, 0, 5 * HOUR_SECONDS],
      ['when they expire, and the clock jumps by six hours both ways', [false], 30, 6, 5 * HOUR_SECONDS],
      ['when two processes share a cache', [true, true], 30, 0, 1],
      ['when a third has its own token, and the clock jumps', [true, true, false], 90, 6, 1],
    ] as const) {
      it(`pays each once with at most ${most} logins ${title}`, async () => {
        const { answerCall } = service;
        const paid: unknown[] = [];
        service.answerCall = async (call) => {
          const answer = await answerCall(call);
          if (answer.ok) paid.push(call.init.body);
          return answer;
        };
        const merchants = sharing.map((isShared) => clientOf(service, isShared ? { tokenCache } : {}));
        const orders = Array.from({ length: 1_500 }, (_, order) => String(order));
        for (const [order, body] of orders.entries()) {
          if (order % 50 === 0) {
            service.live.clear();
            time.pass(lifeSeconds);
            time.jump((order % 100 ? jumps : -jumps) * HOUR_SECONDS);
          }
          await merchants[order % merchants.length]?.fetch('/pay', { method: 'POST', body });
        }
        expect(paid).to.deep.equal(orders);
        expect(service.logins.length).to.be.within(30, most);
      });
    }
  });
});
