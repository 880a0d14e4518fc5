import { expect } from 'chai';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { BoundedMemoryLimiter, type Counter, InsuredCounter, MAX_KEYS } from '../../src/throttle/limiters.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { settle } from '../helpers/until.js';

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

  it('holds the key that goes on counting for no old one', async () => {
    const limiter = new BoundedMemoryLimiter(OPTIONS, 3);
    for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'e']) await limiter.penalty(key);
    expect((await limiter.get('a'))?.consumedPoints).to.equal(3);
    expect(keysIn(limiter)).to.have.members(['a', 'd', 'e']);
  });

  it('has room again for what was deleted', async () => {
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

/** The timer of a call is set when the answer is not there after some turns of the queue of promises. */
async function isWaiting(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

describe('InsuredCounter', () => {
  /** A backend that answers as `behaviour` says, counts in memory while it works, and knows how often it was called. */
  class Backend implements Counter {
    calls = 0;
    behaviour: 'works' | 'never answers' | 'throws' | 'rejects' = 'works';
    readonly memory = new RateLimiterMemory(OPTIONS);

    get = (key: string) => this.#answer(() => this.memory.get(key));
    penalty = (key: string) => this.#answer(() => this.memory.penalty(key));
    set = (key: string, points: number, seconds: number) => this.#answer(() => this.memory.set(key, points, seconds));
    delete = (key: string) => this.#answer(() => this.memory.delete(key));

    #answer<Result>(call: () => Promise<Result>): Promise<Result> {
      this.calls++;
      if (this.behaviour === 'throws') throw new Error('down');
      if (this.behaviour === 'rejects') return Promise.reject(new Error('down'));
      return this.behaviour === 'works' ? call() : new Promise(() => undefined);
    }
  }

  function insure() {
    const clock = { now: 0 };
    const backend = new Backend();
    const insurance = new RateLimiterMemory(OPTIONS);
    return { clock, backend, insurance, counter: new InsuredCounter(backend, insurance, () => clock.now) };
  }

  /** Whether a promise is settled, without waiting for it. */
  async function isSettled(promise: Promise<unknown>): Promise<boolean> {
    let settled = false;
    const note = () => {
      settled = true;
    };
    promise.then(note, note);
    await settle();
    return settled;
  }

  it('calls the backend alone while it answers', async () => {
    const { backend, insurance, counter } = insure();
    await counter.penalty('a');
    await counter.set('b', 1, 60);
    expect((await counter.get('a'))?.consumedPoints).to.equal(1);
    expect((await counter.get('b'))?.consumedPoints).to.equal(1);
    await counter.delete('b');
    expect(await counter.get('b')).to.equal(null);
    expect(backend.calls).to.equal(6);
    expect(keysIn(insurance)).to.deep.equal([]);
  });

  it('leaves no timer behind for a call that was answered', async () => {
    const time = freezeTime();
    const { backend, counter } = insure();
    await counter.penalty('a');
    time.pass(60);
    await counter.penalty('a');
    expect(backend.calls).to.equal(2);
  });

  it('waits 250 ms for the backend and no longer, and counts in memory then', async () => {
    const time = freezeTime();
    const { backend, insurance, counter } = insure();
    backend.behaviour = 'never answers';
    const counted = counter.penalty('a');
    await isWaiting();
    time.pass(0.249);
    expect(await isSettled(counted)).to.equal(false);
    time.pass(0.001);
    expect(await isSettled(counted)).to.equal(true);
    expect((await counted).consumedPoints).to.equal(1);
    expect(keysIn(insurance)).to.deep.equal(['a']);
  });

  it('leaves a backend alone for a second that did not answer, so that no call waits for it again', async () => {
    const time = freezeTime();
    const { clock, backend, counter } = insure();
    backend.behaviour = 'never answers';
    const first = counter.get('a');
    await isWaiting();
    time.pass(0.25);
    await first;
    clock.now = 999;
    for (let call = 0; call < 100; call++) await counter.penalty('a');
    expect(backend.calls).to.equal(1);
    expect((await counter.get('a'))?.consumedPoints).to.equal(100);
    clock.now = 1_000;
    const next = counter.get('a');
    expect(backend.calls).to.equal(2);
    await isWaiting();
    time.pass(0.25);
    await next;
  });

  for (const behaviour of ['throws', 'rejects'] as const) {
    it(`counts in memory at once when the backend ${behaviour}, and leaves it alone for a second`, async () => {
      freezeTime();
      const { clock, backend, counter } = insure();
      backend.behaviour = behaviour;
      expect((await counter.penalty('a')).consumedPoints).to.equal(1);
      expect((await counter.penalty('a')).consumedPoints).to.equal(2);
      await counter.set('b', 1, 60);
      await counter.delete('a');
      expect(await counter.get('a')).to.equal(null);
      expect((await counter.get('b'))?.consumedPoints).to.equal(1);
      expect(backend.calls).to.equal(1);
      clock.now = 1_000;
      await counter.get('a');
      expect(backend.calls).to.equal(2);
    });
  }

  it('asks the backend again when it works again', async () => {
    freezeTime();
    const { clock, backend, counter } = insure();
    await counter.penalty('a');
    backend.behaviour = 'rejects';
    await counter.penalty('a');
    backend.behaviour = 'works';
    clock.now = 1_000;
    expect((await counter.penalty('a')).consumedPoints).to.equal(2);
    expect((await backend.memory.get('a'))?.consumedPoints).to.equal(2);
  });

  it('lets none of many calls at once wait longer than one', async () => {
    const time = freezeTime();
    const { backend, counter } = insure();
    backend.behaviour = 'never answers';
    const calls = Array.from({ length: 300 }, () => counter.penalty('a'));
    await isWaiting();
    time.pass(0.25);
    const counted = await Promise.all(calls);
    expect(counted.map(({ consumedPoints }) => consumedPoints).sort((a, b) => a - b)).to.deep.equal(
      Array.from({ length: 300 }, (_, index) => index + 1),
    );
  });

  it('hears of a rejection that comes too late, which ends no process', async () => {
    const time = freezeTime();
    let rejectLate: (reason: unknown) => void = () => undefined;
    const late = () =>
      new Promise<never>((_resolve, reject) => {
        rejectLate = reject;
      });
    const backend = { get: late, penalty: late, set: late, delete: late };
    const counter = new InsuredCounter(backend, new RateLimiterMemory(OPTIONS), () => 0);
    const counted = counter.penalty('a');
    await isWaiting();
    time.pass(0.25);
    expect((await counted).consumedPoints).to.equal(1);
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.prependListener('unhandledRejection', note);
    rejectLate(new Error('connection closed'));
    await settle();
    process.removeListener('unhandledRejection', note);
    expect(unhandled).to.deep.equal([]);
  });

  it('rejects with what the insurance rejects with when both fail', async () => {
    const reject = () => Promise.reject(new Error('no memory'));
    const { backend } = insure();
    backend.behaviour = 'rejects';
    const counter = new InsuredCounter(backend, { get: reject, penalty: reject, set: reject, delete: reject }, () => 0);
    let rejection: unknown;
    await counter.get('a').catch((reason: unknown) => {
      rejection = reason;
    });
    expect(rejection).to.have.property('message', 'no memory');
  });
});
