import { expect } from 'chai';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Backend } from '../../src/throttle/backend.js';
import { Counter, LIMITER_METHODS } from '../../src/throttle/counter.js';
import { controlLimiter } from '../helpers/controlled-throttle.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { type FrozenTime, freezeTime } from '../helpers/frozen-time.js';
import { rejectionOf } from '../helpers/thrown.js';

const LIMIT = { failures: 3, seconds: 900 };

/** @param failing the methods of the limiter that fail */
function createShared(failing: readonly string[] = []) {
  const memory = new RateLimiterMemory({ keyPrefix: 'test', points: LIMIT.failures, duration: LIMIT.seconds });
  const limiter = Object.assign(memory, { failing });
  controlLimiter(limiter, (method) =>
    limiter.failing.includes(method) ? Promise.reject(new Error('down')) : undefined,
  );
  return { limiter, counter: new Counter(LIMIT, new Backend(), limiter) };
}

async function fail(counter: Counter, times: number): Promise<number[]> {
  const seconds: number[] = [];
  for (let time = 0; time < times; time++) seconds.push((await counter.fail('a')).seconds);
  return seconds;
}

async function secondsOf(counter: Counter, key = 'a'): Promise<number> {
  return (await counter.read(key)).seconds;
}

describe('Counter', () => {
  let time: FrozenTime;
  let warnings: string[];
  beforeEach(() => {
    time = freezeTime();
    warnings = collectWarnings();
  });

  for (const [where, create] of [
    ['in memory', () => new Counter(LIMIT, new Backend())],
    ['in a backend', () => createShared().counter],
    ['in memory while the backend is out', () => createShared(LIMITER_METHODS).counter],
    ['in memory when the backend counts and cannot lock', () => createShared(['block']).counter],
  ] as const) {
    it(`allows as many failures ${where} as the limit, and locks for its seconds from the last one`, async () => {
      const counter = create();
      expect(await fail(counter, 2)).to.deep.equal([0, 0]);
      time.pass(300);
      expect(await secondsOf(counter)).to.equal(0);
      expect(await fail(counter, 2)).to.deep.equal([0, 900]);
      expect([await secondsOf(counter), await secondsOf(counter, 'b')]).to.deep.equal([900, 0]);
      time.pass(899.999);
      expect(await secondsOf(counter)).to.equal(1);
      time.pass(0.001);
      expect(await secondsOf(counter)).to.equal(0);
      expect(await fail(counter, 2)).to.deep.equal([0, 0]);
      time.pass(900);
      expect(await fail(counter, 2)).to.deep.equal([0, 0]);
    });
  }

  it('decides by the memory when the backend reads an old count and refuses writes', async () => {
    const { counter, limiter } = createShared();
    await fail(counter, 1);
    limiter.failing = ['penalty', 'block', 'delete'];
    expect(await fail(counter, 4)).to.deep.equal([0, 0, 0, 900]);
    time.pass(1);
    expect(await secondsOf(counter)).to.equal(899);
    expect(await fail(counter, 1)).to.deep.equal([899]);
    expect(warnings).to.have.length(1);
  });

  it('decides by the backend when the memory has a lower count', async () => {
    const { counter, limiter } = createShared(LIMITER_METHODS);
    await fail(counter, 1);
    limiter.failing = [];
    time.pass(1);
    expect(await fail(counter, 3)).to.deep.equal([0, 0, 0]);
    expect(await counter.read('a')).to.deep.equal({ failures: 4, seconds: 900 });
    expect(await fail(counter, 1)).to.deep.equal([900]);
  });

  it('marks in backend and memory, and clears in both', async () => {
    for (const change of ['clear', 'forgive'] as const) {
      const { counter, limiter } = createShared();
      await counter.mark('a', 'owner');
      expect((await limiter.get('a'))?.msBeforeNext).to.equal(900_000);
      limiter.failing = LIMITER_METHODS;
      expect(await secondsOf(counter)).to.equal(900);
      limiter.failing = [];
      time.pass(1);
      await counter[change]('a');
      expect(await counter.read('a')).to.deep.equal({ failures: 0, seconds: 0 });
      limiter.failing = LIMITER_METHODS;
      expect(await counter.read('a')).to.deep.equal({ failures: 0, seconds: 0 });
    }
  });

  it('forgives even during the pause, and rejects when the backend fails', async () => {
    const { counter, limiter } = createShared();
    await fail(counter, 3);
    limiter.failing = ['penalty', 'delete'];
    await fail(counter, 3);
    expect(await rejectionOf(counter.forgive('a'))).to.have.property('message', 'down');
    limiter.failing = [];
    await counter.forgive('a');
    time.pass(1);
    expect(await counter.read('a')).to.deep.equal({ failures: 0, seconds: 0 });
  });

  it('lets a lock begin anew, and locks nothing else, when the clock of the backend goes back', async () => {
    const { counter } = createShared();
    await fail(counter, 2);
    time.jump(-3_600);
    expect(await counter.read('a')).to.deep.equal({ failures: 2, seconds: 0 });
    expect(await fail(counter, 1)).to.deep.equal([0]);
    time.jump(-3_600);
    expect(await fail(counter, 1)).to.deep.equal([900]);
    expect(await secondsOf(counter)).to.equal(900);
    time.jump(899);
    expect(await secondsOf(counter)).to.equal(1);
    time.jump(1);
    expect(await counter.read('a')).to.deep.equal({ failures: 0, seconds: 0 });
  });
});
