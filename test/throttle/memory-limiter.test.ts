import { expect } from 'chai';
import { MemoryLimiter } from '../../src/throttle/memory-limiter.js';
import { freezeTime } from '../helpers/frozen-time.js';

const SECONDS = 900;

/** Returns those of the keys that the limiter still counts. */
function keptOf(limiter: MemoryLimiter, keys: Iterable<string>): string[] {
  return [...keys].filter((key) => limiter.get(key) !== null);
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index));
}

describe('MemoryLimiter', () => {
  beforeEach(() => void freezeTime());

  it('drops the key beyond its maximum whose last write is oldest, even if it was read since', () => {
    const limiter = new MemoryLimiter(SECONDS, 3);
    for (const key of ['a', 'b', 'c', 'a', 'd']) limiter.penalty(key);
    expect(keptOf(limiter, 'abcd')).to.deep.equal(['a', 'c', 'd']);
    limiter.get('c');
    limiter.block('e', 'awa');
    expect(keptOf(limiter, 'abcde')).to.deep.equal(['a', 'd', 'e']);
    expect(limiter.get('a')?.consumedPoints).to.equal(2);
  });

  it('counts a key for the time of the limit from its first failure', () => {
    const time = freezeTime();
    const limiter = new MemoryLimiter(SECONDS);
    limiter.penalty('a');
    time.pass(899.999);
    limiter.penalty('a');
    expect(limiter.get('a')).to.deep.equal({ consumedPoints: 2, msBeforeNext: 1 });
    time.pass(0.001);
    expect(limiter.get('a')).to.equal(null);
    expect(limiter.penalty('a')).to.deep.equal({ consumedPoints: 1, msBeforeNext: 900_000 });
  });

  for (const seconds of [-7_200, 7_200]) {
    it(`counts on when the clock of the system jumps by ${seconds} s`, () => {
      const time = freezeTime();
      const limiter = new MemoryLimiter(SECONDS);
      limiter.penalty('a');
      time.pass(100);
      time.jump(seconds);
      expect(limiter.get('a')).to.deep.equal({ consumedPoints: 1, msBeforeNext: 800_000 });
      expect(limiter.penalty('a')).to.deep.equal({ consumedPoints: 2, msBeforeNext: 800_000 });
      time.pass(800);
      expect(limiter.get('a')).to.equal(null);
    });
  }

  it('drops the oldest keys of an owner beyond 1,000, and no key of another owner', () => {
    const limiter = new MemoryLimiter(SECONDS);
    limiter.block('other', 'kofi');
    limiter.penalty('counted');
    for (const key of numbered(1_000)) limiter.block(key, 'awa');
    expect(keptOf(limiter, numbered(1_000))).to.deep.equal(numbered(1_000));
    limiter.block('0', 'awa');
    limiter.block('1000', 'awa');
    const [first = '', ...others] = numbered(1_001);
    expect(keptOf(limiter, [first, ...others])).to.deep.equal([first, ...others.slice(1)]);
    expect(keptOf(limiter, ['other', 'counted'])).to.deep.equal(['other', 'counted']);
  });
});
