import { expect } from 'chai';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { BoundedMemoryLimiter, createRejectingInsurance, MAX_KEYS } from '../../src/throttle/memory-limiter.js';
import { freezeTime } from '../helpers/frozen-time.js';

const OPTIONS = { keyPrefix: 'test', points: 10, duration: 900 };

/** Returns those of the keys that the limiter still counts. */
async function keptOf(limiter: BoundedMemoryLimiter, keys: Iterable<string>): Promise<string[]> {
  const kept: string[] = [];
  for (const key of keys) if ((await limiter.get(key)) !== null) kept.push(key);
  return kept;
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index));
}

describe('BoundedMemoryLimiter', () => {
  beforeEach(() => void freezeTime());

  it('drops the oldest key beyond its maximum', async () => {
    const limiter = new BoundedMemoryLimiter(OPTIONS, 3);
    for (const key of 'abcd') await limiter.penalty(key);
    expect(await keptOf(limiter, 'abcd')).to.deep.equal(['b', 'c', 'd']);
    await limiter.set('e');
    expect(await keptOf(limiter, 'abcde')).to.deep.equal(['c', 'd', 'e']);
  });

  it('drops a hundredth of its maximum at a time', async () => {
    const limiter = new BoundedMemoryLimiter(OPTIONS, 200);
    for (const key of numbered(200)) await limiter.penalty(key);
    expect(await keptOf(limiter, numbered(200))).to.deep.equal(numbered(200));
    await limiter.penalty('200');
    expect(await keptOf(limiter, numbered(201))).to.deep.equal(numbered(201).slice(3));
  });

  it('does not drop a key that is still counted', async () => {
    const limiter = new BoundedMemoryLimiter(OPTIONS, 3);
    for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'e']) await limiter.penalty(key);
    expect((await limiter.get('a'))?.consumedPoints).to.equal(3);
    expect(await keptOf(limiter, 'abcde')).to.deep.equal(['a', 'd', 'e']);
  });

  it('has room again when a key is deleted', async () => {
    const limiter = new BoundedMemoryLimiter(OPTIONS, 2);
    await limiter.penalty('a');
    await limiter.penalty('b');
    await limiter.delete('b');
    await limiter.penalty('c');
    expect(await keptOf(limiter, 'abc')).to.deep.equal(['a', 'c']);
  });

  it('counts a key for the time of the limit from its first failure', async () => {
    const time = freezeTime();
    const limiter = new BoundedMemoryLimiter(OPTIONS);
    await limiter.penalty('a');
    time.pass(899.999);
    await limiter.penalty('a');
    expect(await limiter.get('a')).to.deep.equal({ consumedPoints: 2, msBeforeNext: 1 });
    time.pass(0.001);
    expect(await limiter.get('a')).to.equal(null);
    expect(await limiter.penalty('a')).to.deep.equal({ consumedPoints: 1, msBeforeNext: 900_000 });
  });

  for (const seconds of [-7_200, 7_200]) {
    it(`counts on when the clock of the system jumps by ${seconds} s`, async () => {
      const time = freezeTime();
      const limiter = new BoundedMemoryLimiter(OPTIONS);
      await limiter.penalty('a');
      time.pass(100);
      time.jump(seconds);
      expect(await limiter.get('a')).to.deep.equal({ consumedPoints: 1, msBeforeNext: 800_000 });
      expect(await limiter.penalty('a')).to.deep.equal({ consumedPoints: 2, msBeforeNext: 800_000 });
      time.pass(800);
      expect(await limiter.get('a')).to.equal(null);
    });
  }

  describe('with an owner of keys', () => {
    it('drops the oldest keys of an owner beyond 1,000, and no key of another owner', async () => {
      const limiter = new BoundedMemoryLimiter(OPTIONS);
      await limiter.set('other', 'kofi');
      await limiter.penalty('counted');
      for (const key of numbered(1_000)) await limiter.set(key, 'awa');
      expect(await keptOf(limiter, numbered(1_000))).to.deep.equal(numbered(1_000));
      await limiter.set('0', 'awa');
      await limiter.set('1000', 'awa');
      const [first = '', ...others] = numbered(1_001);
      expect(await keptOf(limiter, [first, ...others])).to.deep.equal([first, ...others.slice(11)]);
      expect(await keptOf(limiter, ['other', 'counted'])).to.deep.equal(['other', 'counted']);
    });

    it('counts only the keys that it still holds', async () => {
      const limiter = new BoundedMemoryLimiter(OPTIONS);
      for (let round = 0; round < 11; round++) {
        for (const key of numbered(100)) await limiter.set(key, 'awa');
        for (const key of numbered(100)) await limiter.delete(key);
      }
      for (let round = 0; round < 11; round++) for (const key of numbered(100)) await limiter.set(key, 'awa');
      expect(await keptOf(limiter, numbered(100))).to.deep.equal(numbered(100));
    });
  });

  const full = process.env['FULL'] === '1' ? it : it.skip;
  full('holds at most 100,000 keys of a million (with FULL=1)', async () => {
    const limiter = new BoundedMemoryLimiter(OPTIONS);
    const keys = numbered(1_000_000);
    for (const key of keys) await limiter.penalty(key);
    expect(MAX_KEYS).to.equal(100_000);
    const kept = await keptOf(limiter, keys);
    expect(kept.length).to.be.within(99_000, 100_000);
    expect(kept.at(-1)).to.equal('999999');
  });
});

describe('createRejectingInsurance', () => {
  it('makes a limiter that rejects every call of the throttle', async () => {
    const insurance = createRejectingInsurance(OPTIONS);
    for (const call of [
      () => insurance.get('a'),
      () => insurance.penalty('a'),
      () => insurance.set('a', 1, 60),
      () => insurance.delete('a'),
    ]) {
      expect(await failureOf(call)).to.equal('The backend of the login throttle failed.');
    }
  });

  it('makes a limiter of the library reject when its backend refuses a write, instead of counting in memory', async () => {
    const refuse = () => Promise.reject(new Error("READONLY You can't write against a read only replica."));
    const client = { defineCommand: () => undefined, rlflxIncr: refuse, multi: () => ({ exec: refuse, set: refuse }) };
    const insuranceLimiter = createRejectingInsurance(OPTIONS);
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
