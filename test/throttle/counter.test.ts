import { expect } from 'chai';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Backend } from '../../src/throttle/backend.js';
import { Counter } from '../../src/throttle/counter.js';
import { MemoryLimiter } from '../../src/throttle/memory-limiter.js';
import type { FailureLimit } from '../../src/throttle/throttle-options.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { rejectionOf } from '../helpers/thrown.js';
import { collectWarnings } from '../helpers/warnings.js';

const LIMIT = { failures: 3, seconds: 900 };
const OPTIONS = { keyPrefix: 'test', points: LIMIT.failures, duration: LIMIT.seconds };
const METHODS = ['get', 'penalty', 'set', 'delete'] as const;

/** A limiter of a host, and the calls that reach it. Its `failing` methods reject. */
class HostLimiter extends RateLimiterMemory {
  readonly calls: string[] = [];
  failing: readonly string[] = [];

  constructor() {
    super(OPTIONS);
    for (const method of METHODS) {
      const original = this[method].bind(this) as (...args: unknown[]) => Promise<unknown>;
      const observed = (...args: unknown[]) => {
        this.calls.push(method);
        return this.failing.includes(method) ? Promise.reject(new Error('down')) : original(...args);
      };
      Object.assign(this, { [method]: observed });
    }
  }
}

/** @param failing the methods of the limiter that fail */
function createShared(limit: FailureLimit = LIMIT, failing: readonly string[] = []) {
  const clock = { now: 0 };
  const backend = new Backend(() => clock.now);
  const limiter = new HostLimiter();
  limiter.failing = failing;
  const memory = new MemoryLimiter(LIMIT.seconds);
  return { clock, backend, limiter, memory, counter: new Counter(limit, memory, backend, limiter) };
}

async function fail(counter: Counter, times: number): Promise<number[]> {
  const seconds: number[] = [];
  for (let time = 0; time < times; time++) seconds.push((await counter.fail('a')).seconds);
  return seconds;
}

async function secondsOf(counter: Counter, key: string): Promise<number> {
  return (await counter.read(key)).seconds;
}

/** Returns the count of a key, or `undefined` when there is none. */
async function countIn(limiter: HostLimiter | MemoryLimiter): Promise<number | undefined> {
  // The method of the library is not observed, and does not fail.
  const count = limiter instanceof HostLimiter ? RateLimiterMemory.prototype.get.call(limiter, 'a') : limiter.get('a');
  return (await count)?.consumedPoints;
}

describe('Counter', () => {
  beforeEach(() => {
    freezeTime();
    collectWarnings();
  });

  for (const [where, create] of [
    ['in memory', () => new Counter(LIMIT, new MemoryLimiter(LIMIT.seconds), new Backend())],
    ['in a backend', () => createShared().counter],
    ['in memory while the backend is out', () => createShared(LIMIT, METHODS).counter],
  ] as const) {
    it(`allows as many failures ${where} as the limit, and then returns the seconds until the first one expires`, async () => {
      const time = freezeTime();
      const counter = create();
      expect(await secondsOf(counter, 'a')).to.equal(0);
      expect(await fail(counter, 1)).to.deep.equal([0]);
      time.pass(300);
      expect(await fail(counter, 1)).to.deep.equal([0]);
      expect(await secondsOf(counter, 'a')).to.equal(0);
      expect(await fail(counter, 2)).to.deep.equal([0, 600]);
      expect(await secondsOf(counter, 'a')).to.equal(600);
      expect(await secondsOf(counter, 'b')).to.equal(0);
      time.pass(599.999);
      expect(await secondsOf(counter, 'a')).to.equal(1);
      time.pass(0.001);
      expect(await secondsOf(counter, 'a')).to.equal(0);
      expect(await fail(counter, 3)).to.deep.equal([0, 0, 0]);
    });
  }

  it('counts failures in the backend alone, and in memory during its outage', async () => {
    const { counter, limiter, memory, clock } = createShared();
    await fail(counter, 1);
    expect(await countIn(limiter)).to.equal(1);
    expect(await countIn(memory)).to.equal(undefined);
    limiter.failing = METHODS;
    await fail(counter, 2);
    expect(await countIn(limiter)).to.equal(1);
    expect(await countIn(memory)).to.equal(2);
    limiter.failing = [];
    clock.now = 1_000;
    await fail(counter, 1);
    expect(await countIn(limiter)).to.equal(2);
    expect(await countIn(memory)).to.equal(2);
  });

  it('decides by the memory when the backend reads an old count and refuses writes', async () => {
    const { counter, limiter, clock } = createShared();
    await fail(counter, 1);
    limiter.failing = ['penalty', 'set', 'delete'];
    expect(await fail(counter, 4)).to.deep.equal([0, 0, 0, 900]);
    clock.now = 1_000;
    expect(await secondsOf(counter, 'a')).to.equal(900);
    // After the successful read, the throttle calls the backend again, and the backend refuses the write again.
    expect(limiter.calls.at(-1)).to.equal('get');
    expect(await fail(counter, 1)).to.deep.equal([900]);
    expect(limiter.calls.at(-1)).to.equal('penalty');
  });

  it('decides by backend or memory, whichever has the higher count', async () => {
    for (const [inMemory, inBackend] of [
      [1, 3],
      [4, 1],
      [4, undefined],
      [undefined, 3],
    ]) {
      const { counter, limiter, memory } = createShared();
      for (let failures = 0; failures < (inMemory ?? 0); failures += 1) memory.penalty('a');
      if (inBackend) await limiter.penalty('a', inBackend);
      expect(await secondsOf(counter, 'a')).to.equal(900);
      expect(await fail(counter, 1)).to.deep.equal([900]);
      expect(await countIn(memory)).to.equal(inMemory);
    }
  });

  it('sets a key in backend and memory, for the time of its limit, and clears it in both', async () => {
    const { counter, limiter, memory } = createShared();
    await counter.set('a', 'owner');
    for (const both of [limiter, memory]) {
      const { consumedPoints, msBeforeNext } = (await both.get('a')) ?? {};
      expect([consumedPoints, msBeforeNext]).to.deep.equal([1, 900_000]);
    }
    await counter.clear('a');
    for (const both of [limiter, memory]) expect(await countIn(both)).to.equal(undefined);
  });

  it('forgives in backend and memory, even while the backend rests, and rejects when the backend fails', async () => {
    const { counter, limiter, memory } = createShared();
    await fail(counter, 3);
    limiter.failing = ['penalty', 'delete'];
    await fail(counter, 3);
    expect(await rejectionOf(counter.forgive('a'))).to.have.property('message', 'down');
    limiter.failing = [];
    await counter.forgive('a');
    for (const both of [limiter, memory]) expect(await countIn(both)).to.equal(undefined);
  });

  describe('with lockSeconds', () => {
    const LOCKED = { ...LIMIT, lockSeconds: 1_800 };

    it('keeps a lock of the backend during an outage that begins meanwhile, and not after another process forgave', async () => {
      const { counter, limiter, clock } = createShared(LOCKED);
      await fail(counter, 3);
      expect((await limiter.get('a'))?.msBeforeNext).to.equal(1_800_000);
      limiter.failing = METHODS;
      expect([await secondsOf(counter, 'a'), await secondsOf(counter, 'b')]).to.deep.equal([1_800, 0]);
      limiter.failing = [];
      clock.now = 1_000;
      await limiter.delete('a');
      expect(await secondsOf(counter, 'a')).to.equal(0);
    });

    it('keeps a lock of an outage after the outage, until it is forgiven', async () => {
      const { counter, limiter, clock } = createShared(LOCKED);
      limiter.failing = METHODS;
      await fail(counter, 3);
      limiter.failing = [];
      clock.now = 1_000;
      expect(await secondsOf(counter, 'a')).to.equal(1_800);
      await counter.forgive('a');
      expect(await secondsOf(counter, 'a')).to.equal(0);
    });

    it('locks in memory when the backend counts the failure and then fails', async () => {
      const { counter, limiter, clock } = createShared(LOCKED);
      await fail(counter, 2);
      limiter.block = () => Promise.reject(new Error('down'));
      await fail(counter, 1);
      clock.now = 1_000;
      expect(await secondsOf(counter, 'a')).to.equal(1_800);
    });

    it('is cleared with its copy in memory', async () => {
      const { counter, limiter } = createShared(LOCKED);
      await fail(counter, 3);
      await counter.clear('a');
      limiter.failing = METHODS;
      expect(await secondsOf(counter, 'a')).to.equal(0);
    });
  });

  for (const [kind, call] of [
    ['penalty', (counter: Counter) => counter.fail('a')],
    ['set', (counter: Counter) => counter.set('a', 'owner')],
    ['delete', (counter: Counter) => counter.clear('a')],
    ['delete', (counter: Counter) => counter.forgive('a').catch(() => undefined)],
  ] as const) {
    it(`is in an outage until a ${kind} succeeds, when the backend refused one`, async () => {
      const warnings = collectWarnings();
      const { counter, limiter, clock } = createShared();
      limiter.failing = [kind];
      const all = [
        () => counter.fail('a'),
        () => counter.set('a', 'owner'),
        () => counter.clear('a'),
        () => counter.read('a'),
      ];
      for (const one of [() => call(counter), ...all]) {
        await one();
        clock.now += 1_000;
      }
      expect(warnings).to.have.length(1);
      limiter.failing = [];
      await call(counter);
      expect(warnings).to.have.length(2);
    });
  }

  it('waits no longer than its limit when the clock of the backend jumped back', async () => {
    const { counter, limiter } = createShared();
    await fail(counter, 3);
    freezeTime().jump(-1_195);
    expect((await limiter.get('a'))?.msBeforeNext).to.equal(2_095_000);
    expect(await secondsOf(counter, 'a')).to.equal(900);
    expect(await fail(counter, 1)).to.deep.equal([900]);
  });

  it('has no count of the backend without time left, and decides by the memory', async () => {
    const { counter, limiter, memory } = createShared();
    await limiter.penalty('a', 5);
    await limiter.set('b', 1, 900);
    freezeTime().jump(900);
    expect(await secondsOf(counter, 'a')).to.equal(0);
    expect(await counter.read('b')).to.deep.equal({ failures: 0, seconds: 0 });
    for (let failures = 0; failures < 3; failures += 1) memory.penalty('a');
    expect(await secondsOf(counter, 'a')).to.equal(900);
  });
});
