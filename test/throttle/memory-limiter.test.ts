import { expect } from 'chai';
import { type RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { BoundedMemoryLimiter, MAX_KEYS, RejectingInsurance } from '../../src/throttle/memory-limiter.js';
import { freezeTime } from '../helpers/frozen-time.js';

const OPTIONS = { keyPrefix: 'test', points: 10, duration: 900 };

function keysIn(limiter: RateLimiterMemory): string[] {
  const { storage } = limiter.dump() as { storage: { key: string }[] };
  return storage.map(({ key }) => key);
}

describe('BoundedMemoryLimiter', () => {
  beforeEach(() => void freezeTime());

  it('drops the oldest key beyond its maximum', async () => {
    const limiter = new BoundedMemoryLimiter(OPTIONS, 3);
    for (const key of ['a', 'b', 'c', 'd']) await limiter.penalty(key);
    expect(keysIn(limiter)).to.deep.equal(['b', 'c', 'd']);
    await limiter.set('e', 1, 60);
    expect(keysIn(limiter)).to.deep.equal(['c', 'd', 'e']);
  });

  it('drops a hundredth of its maximum at a time', async () => {
    const limiter = new BoundedMemoryLimiter(OPTIONS, 200);
    for (let key = 0; key < 200; key++) await limiter.penalty(String(key));
    expect(keysIn(limiter)).to.have.lengthOf(200);
    await limiter.penalty('200');
    expect(keysIn(limiter)).to.have.lengthOf(198);
    expect(keysIn(limiter)[0]).to.equal('3');
  });

  it('does not drop a key that is still counted', async () => {
    const limiter = new BoundedMemoryLimiter(OPTIONS, 3);
    for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'e']) await limiter.penalty(key);
    expect((await limiter.get('a'))?.consumedPoints).to.equal(3);
    expect(keysIn(limiter)).to.have.members(['a', 'd', 'e']);
  });

  it('has room again when a key is deleted', async () => {
    const limiter = new BoundedMemoryLimiter(OPTIONS, 2);
    await limiter.penalty('a');
    await limiter.penalty('b');
    await limiter.delete('b');
    await limiter.penalty('c');
    expect(keysIn(limiter)).to.have.members(['a', 'c']);
  });

  it('keeps the number of keys bounded, however many emails are tried', async () => {
    const limiter = new BoundedMemoryLimiter(OPTIONS, 100);
    let most = 0;
    for (let key = 0; key < 5_000; key++) {
      await limiter.penalty(`email ${key}`);
      if (key % 100 === 0) most = Math.max(most, keysIn(limiter).length);
    }
    expect(most).to.be.within(99, 100);
    expect((await limiter.get('email 4999'))?.consumedPoints).to.equal(1);
    expect(await limiter.get('email 0')).to.equal(null);
  });

  const full = process.env['FULL'] === '1' ? it : it.skip;
  full('holds at most 100,000 keys of a million (with FULL=1)', async function () {
    this.timeout(60_000);
    const limiter = new BoundedMemoryLimiter(OPTIONS);
    for (let key = 0; key < 1_000_000; key++) await limiter.penalty(`email ${key}`);
    expect(MAX_KEYS).to.equal(100_000);
    expect(keysIn(limiter).length).to.be.within(99_000, 100_000);
    expect((await limiter.get('email 999999'))?.consumedPoints).to.equal(1);
  });
});

describe('RejectingInsurance', () => {
  it('rejects every call that the throttle makes', async () => {
    const insurance: RateLimiterMemory = new RejectingInsurance(OPTIONS);
    for (const call of [
      () => insurance.get('a'),
      () => insurance.penalty('a'),
      () => insurance.set('a', 1, 60),
      () => insurance.delete('a'),
    ]) {
      expect(await failureOf(call)).to.equal('The backend of the login throttle failed.');
    }
    expect(keysIn(insurance)).to.deep.equal([]);
  });

  it('makes a limiter of the library reject when its backend refuses a write, instead of counting in memory', async () => {
    const refuse = () => Promise.reject(new Error("READONLY You can't write against a read only replica."));
    const client = { defineCommand: () => undefined, rlflxIncr: refuse, multi: () => ({ exec: refuse, set: refuse }) };
    const insuranceLimiter = new RejectingInsurance(OPTIONS);
    const limiter = new RateLimiterRedis({ ...OPTIONS, storeClient: client, insuranceLimiter });
    expect(await failureOf(() => limiter.penalty('a'))).to.equal('The backend of the login throttle failed.');
  });
});

/** Resolves to the message with which a call rejects. */
async function failureOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing failed';
}
