import os from 'node:os';
import { mock } from 'node:test';
import { expect } from 'chai';
import { createPasswords } from '../../src/passwords/passwords.js';
import { defaultConcurrentHashes, Slots } from '../../src/passwords/slots.js';
import { PASSWORD } from '../helpers/accounts.js';
import { Gauge, holdComputations } from '../helpers/computations.js';
import { PHC_OF_PASSWORD } from '../helpers/hashes.js';
import { expectAuthError, rejectionOf } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';

/** Advances the clock second by second, because the wait is counted in timers of one second. */
function passSeconds(seconds: number): void {
  for (let passed = 0; passed < seconds; passed++) mock.timers.tick(1_000);
}

afterEach('restore the real clock and machine', () => {
  mock.timers.reset();
  mock.restoreAll();
});

/** A computation that lasts until it is ended. */
function held<Result>() {
  let end: (result?: Result) => void = () => undefined;
  let fail: (reason: unknown) => void = () => undefined;
  const promise = new Promise<Result>((resolve, reject) => {
    [end, fail] = [resolve as typeof end, reject];
  });
  return { compute: () => promise, end, fail };
}

describe('defaultConcurrentHashes', () => {
  const threads = process.env['UV_THREADPOOL_SIZE'];
  afterEach(() => {
    if (threads === undefined) delete process.env['UV_THREADPOOL_SIZE'];
    else process.env['UV_THREADPOOL_SIZE'] = threads;
  });

  const cases: [size: string | undefined, cores: number, hashes: number][] = [
    [undefined, 8, 2],
    [undefined, 1, 1],
    ['1', 8, 1],
    ['2', 8, 1],
    ['3', 8, 1],
    ['4', 8, 2],
    ['4', 1, 1],
    ['16', 64, 8],
    ['128', 8, 8],
    ['128', 64, 64],
    ['0', 8, 1],
    ['-4', 8, 1],
    ['', 8, 1],
    ['many', 8, 1],
    ['NaN', 8, 1],
    ['Infinity', 8, 1],
    ['4.5', 8, 2],
    ['6 threads', 8, 3],
  ];
  for (const [size, cores, hashes] of cases) {
    it(`is ${hashes} with UV_THREADPOOL_SIZE ${size === undefined ? 'unset' : `"${size}"`} on ${cores} cores`, () => {
      mock.method(os, 'availableParallelism', () => cores);
      if (size === undefined) delete process.env['UV_THREADPOOL_SIZE'];
      else process.env['UV_THREADPOOL_SIZE'] = size;
      expect(defaultConcurrentHashes()).to.equal(hashes);
    });
  }
});

describe('Slots', () => {
  it('run no more computations at a time than the limit, in their order of arrival (ASVS 15.4.4)', async () => {
    const slots = new Slots();
    const gauge = new Gauge();
    const started: number[] = [];
    const computations = Array.from({ length: 10 }, () => held<number>());
    const results = computations.map(({ compute }, i) =>
      slots.run(3, () => {
        started.push(i);
        return gauge.during(compute);
      }),
    );
    expect(slots.load).to.deep.equal({ running: 3, waiting: 7 });
    for (const [i, next] of [
      [2, 3],
      [0, 4],
      [4, 5],
      [1, 6],
      [3, 7],
      [5, 8],
      [6, 9],
    ] as const) {
      computations[i]?.end(i);
      await settle();
      expect(started.at(-1)).to.equal(next);
    }
    computations.forEach(({ end }, i) => end(i));
    expect(await Promise.all(results)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(started).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(gauge.most).to.equal(3);
    expect(gauge.running).to.equal(0);
    expect(slots.load).to.deep.equal({ running: 0, waiting: 0 });
  });

  it('keep the order of arrival, also when a slot was just freed', async () => {
    const slots = new Slots();
    const first = held<unknown>();
    const started: string[] = [];
    const start = (name: string) => slots.run(1, () => Promise.resolve(started.push(name)));
    const running = slots.run(1, first.compute);
    const second = start('second');
    first.end();
    const third = running.then(() => start('third'));
    await Promise.all([second, third]);
    expect(started).to.deep.equal(['second', 'third']);
  });

  it('are freed by a computation that rejects or throws (ASVS 15.4.3)', async () => {
    const slots = new Slots();
    const failures = [
      () => Promise.reject(new Error('rejected')),
      () => {
        throw new Error('thrown');
      },
    ];
    for (const failure of failures) {
      const first = held<unknown>();
      const running = slots.run(1, first.compute);
      const waiting = slots.run(1, failure);
      const last = slots.run(1, () => Promise.resolve('last'));
      first.end();
      await running;
      expect(await rejectionOf(waiting)).to.be.instanceOf(Error);
      expect(await last).to.equal('last');
      expect(await rejectionOf(slots.run(1, failure))).to.be.instanceOf(Error);
      expect(await slots.run(1, () => Promise.resolve('free'))).to.equal('free');
    }
  });

  it('are waited for exactly ten seconds, and then not taken any more (ASVS 15.4.3)', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const slots = new Slots();
    const first = held<unknown>();
    const running = slots.run(1, first.compute);
    let isComputed = false;
    const compute = () => Promise.resolve((isComputed = true));
    let isSettled = false;
    const waiting = rejectionOf(slots.run(1, compute)).finally(() => (isSettled = true));
    passSeconds(9);
    mock.timers.tick(999);
    const later = slots.run(1, () => Promise.resolve('came later'));
    await settle();
    expect(isSettled).to.equal(false);
    expect(slots.load).to.deep.equal({ running: 1, waiting: 2 });
    mock.timers.tick(1);
    expectAuthError(await waiting, 'too_busy');
    expect(slots.load).to.deep.equal({ running: 1, waiting: 1 });
    first.end();
    await running;
    expect(await later).to.equal('came later');
    expect(isComputed).to.equal(false);
  });

  it('are still waited for while the event loop is late: ten seconds in one turn count as one', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const slots = new Slots();
    const first = held<unknown>();
    const running = slots.run(1, first.compute);
    const waiting = slots.run(1, () => Promise.resolve('computed'));
    for (let turn = 0; turn < 9; turn++) mock.timers.tick(10_000);
    await settle();
    expect(slots.load).to.deep.equal({ running: 1, waiting: 1 });
    first.end();
    await running;
    expect(await waiting).to.equal('computed');
    expect(slots.load).to.deep.equal({ running: 0, waiting: 0 });
  });

  it('leave no timer behind that would keep the process up', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await settle(); // mocha has set a timer for this test.
    const before = timers();
    const slots = new Slots();
    const first = held<unknown>();
    const running = slots.run(1, first.compute);
    const waiting = slots.run(1, () => Promise.resolve('computed'));
    expect(timers()).to.equal(before + 1);
    first.end();
    await Promise.all([running, waiting]);
    expect(timers()).to.equal(before);
  });

  it('end no computation, also not one that takes longer than any wait', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const slots = new Slots();
    const [first, second] = [held<string>(), held<string>()];
    const running = slots.run(1, first.compute);
    const waiting = slots.run(1, second.compute);
    passSeconds(9);
    first.end('first');
    await running;
    passSeconds(60);
    second.end('second');
    expect(await waiting).to.equal('second');
  });

  it('are not waited for after an abort, and go to the next one', async () => {
    const slots = new Slots();
    const first = held<unknown>();
    const running = slots.run(1, first.compute);
    const caller = new AbortController();
    let isComputed = false;
    const compute = () => Promise.resolve((isComputed = true));
    const waiting = rejectionOf(slots.run(1, compute, { signal: caller.signal }));
    const next = slots.run(1, () => Promise.resolve('next'));
    const reason = new Error('gone');
    caller.abort(reason);
    expect(await waiting).to.equal(reason);
    expect(slots.load.waiting).to.equal(1);
    const gone = rejectionOf(slots.run(1, compute, { signal: caller.signal }));
    expect(await gone).to.equal(reason);
    first.end();
    await running;
    expect(await next).to.equal('next');
    expect(isComputed).to.equal(false);
    expect(slots.load).to.deep.equal({ running: 0, waiting: 0 });
  });

  it('do not interrupt a running computation when its caller disconnects', async () => {
    const slots = new Slots();
    const caller = new AbortController();
    const first = held<string>();
    const running = slots.run(1, first.compute, { signal: caller.signal });
    caller.abort();
    first.end('done');
    expect(await running).to.equal('done');
    expect(await slots.run(1, () => Promise.resolve('free'))).to.equal('free');
  });

  it('are all used again after a computation with a lower limit waited', async () => {
    const slots = new Slots();
    const gauge = new Gauge();
    const [first, few] = [held<unknown>(), held<unknown>()];
    const many = Array.from({ length: 4 }, () => held<unknown>());
    const all = [slots.run(2, first.compute), slots.run(1, few.compute)];
    all.push(...many.map(({ compute }) => slots.run(2, () => gauge.during(compute))));
    first.end();
    await settle();
    few.end();
    await settle();
    expect(gauge.running).to.equal(2);
    for (const { end } of many) end();
    await Promise.all(all);
  });

  it('are all used when a waiting computation with a lower limit is aborted', async () => {
    const slots = new Slots();
    const gauge = new Gauge();
    const caller = new AbortController();
    const [first, second] = [held<unknown>(), held<unknown>()];
    const running = slots.run(1, first.compute);
    const waiting = rejectionOf(slots.run(1, held<unknown>().compute, { signal: caller.signal }));
    const behind = slots.run(2, () => gauge.during(second.compute));
    caller.abort();
    await waiting;
    expect(gauge.running).to.equal(1);
    for (const { end } of [first, second]) end();
    await Promise.all([running, behind]);
  });

  it('are taken by tryRun only when one is free and nobody waits', async () => {
    const slots = new Slots();
    const first = held<unknown>();
    const compute = () => Promise.resolve('computed');
    expect(await slots.tryRun(1, compute)).to.equal('computed');
    const running = slots.run(2, first.compute);
    expect(await slots.tryRun(1, compute)).to.equal(undefined);
    expect(await slots.tryRun(2, compute)).to.equal('computed');
    const waiting = slots.run(1, compute);
    expect(await slots.tryRun(2, compute)).to.equal(undefined);
    first.end();
    await Promise.all([running, waiting]);
    expect(await slots.tryRun(1, compute)).to.equal('computed');
  });
});

/** Slots whose computations the test ends. */
function heldSlots() {
  const slots = new Slots();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, isKnown = true, limit = 1) =>
    slots.run(
      limit,
      () =>
        new Promise<string>((resolve) => {
          started.push(name);
          ends.set(name, () => resolve(name));
        }),
      { isKnown },
    );
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { slots, started, run, end };
}

describe('Slots, with known sources and others', () => {
  it('give three of four slots to known sources and one to others, while both wait (ASVS 15.4.4)', async () => {
    const { started, run, end } = heldSlots();
    void run('first');
    for (let index = 1; index <= 6; index++) {
      void run(`other ${index}`, false);
      void run(`known ${index}`);
    }
    for (let ended = 0; ended < 12; ended++) await end(started[ended] ?? '');
    const classes = started.slice(1).map((name) => name.split(' ')[0]);
    expect(classes).to.deep.equal([
      ...['known', 'known', 'known', 'other'],
      ...['known', 'known', 'known', 'other'],
      ...['other', 'other', 'other', 'other'],
    ]);
  });

  it('estimate the wait by the median of the last 32 computations, by class', async () => {
    let now = 0;
    mock.method(performance, 'now', () => now);
    const { slots, run, end } = heldSlots();
    const rising = Array.from({ length: 40 }, (_, index) => index + 1);
    // Of 1 to 40, the last 32 are 9 to 40. Of 40 to 1, they are 32 to 1.
    for (const [name, times, median] of [
      ['rising', rising, 25],
      ['falling', rising.toReversed(), 17],
      ['constant', rising.map(() => 100), 100],
    ] as const) {
      for (const [index, time] of times.entries()) {
        void run(`${name} ${index}`);
        now += time;
        await end(`${name} ${index}`);
      }
      void run(`running ${name}`);
      void run(`waiting ${name}`);
      expect(slots.estimateWaitMs(1, true), name).to.equal(median);
      await end(`running ${name}`);
      await end(`waiting ${name}`);
    }
    expect(slots.estimateWaitMs(1, true)).to.equal(0);
    void run('running');
    for (let index = 0; index < 6; index++) void run(`known ${index}`);
    for (let index = 0; index < 30; index++) void run(`other ${index}`, false);
    expect(slots.estimateWaitMs(1, true)).to.equal((6 + 2) * 100);
    expect(slots.estimateWaitMs(2, true)).to.equal(((6 + 2) * 100) / 2);
    expect(slots.estimateWaitMs(1, false)).to.equal((30 + 6) * 100);
  });
});

describe('the slots of the process', () => {
  it('bound what several Passwords compute together: verify, hash and upgrade (ASVS 15.2.2)', async () => {
    const [one, other] = [
      createPasswords({ maxConcurrentHashes: 2 }),
      createPasswords({ maxConcurrentHashes: 2, algorithm: 'bcrypt' }),
    ];
    const computations = holdComputations();
    const all = [
      one.verify(PASSWORD, PHC_OF_PASSWORD),
      other.hash(PASSWORD),
      other.verify(PASSWORD, null),
      one.hash(PASSWORD),
      one.verify(PASSWORD, ''),
    ];
    expect(await other.upgrade(PASSWORD, PHC_OF_PASSWORD)).to.equal(undefined);
    for (let ended = 0; ended < 5; ended++) {
      await settle();
      expect(computations).to.have.length(Math.min(ended + 2, 5));
      const computation = computations[ended];
      computation?.end(computation.kind === 'hash' ? 'a new hash' : true);
    }
    await Promise.all(all);
    expect(computations.map(({ kind, algorithm }) => `${algorithm} ${kind}`)).to.deep.equal([
      'argon2 verify',
      'bcrypt hash',
      'bcrypt verify',
      'argon2 hash',
      'argon2 verify',
    ]);

    const upgraded = other.upgrade(PASSWORD, PHC_OF_PASSWORD);
    const alsoUpgraded = one.upgrade(PASSWORD, PHC_OF_PASSWORD.replace('m=19456', 'm=8'));
    const waiting = one.verify(PASSWORD, PHC_OF_PASSWORD);
    await settle();
    expect(computations).to.have.length(7);
    for (const computation of computations.slice(5)) computation.end('a new hash');
    expect(await Promise.all([upgraded, alsoUpgraded])).to.deep.equal(['a new hash', 'a new hash']);
    await until(() => computations.length === 8);
    computations[7]?.end(true);
    expect(await waiting).to.equal(true);
  });

  it('have one load for all Passwords: the computations that run and that wait', async () => {
    const [one, other] = [
      createPasswords({ maxConcurrentHashes: 2 }),
      createPasswords({ maxConcurrentHashes: 2, algorithm: 'bcrypt' }),
    ];
    expect(one.load()).to.deep.equal({ running: 0, waiting: 0 });
    const computations = holdComputations();
    const all: Promise<unknown>[] = [one.verify(PASSWORD, PHC_OF_PASSWORD)];
    for (const passwords of [one, other]) expect(passwords.load()).to.deep.equal({ running: 1, waiting: 0 });
    all.push(other.hash(PASSWORD), one.hash(PASSWORD), other.verify(PASSWORD, null));
    all.push(one.compare(PASSWORD, one.hashToCompare(null, 0), { isKnown: false }));
    for (const passwords of [one, other]) expect(passwords.load()).to.deep.equal({ running: 2, waiting: 3 });
    for (const [ended, load] of [
      { running: 2, waiting: 2 },
      { running: 2, waiting: 1 },
      { running: 2, waiting: 0 },
      { running: 1, waiting: 0 },
      { running: 0, waiting: 0 },
    ].entries()) {
      await until(() => computations.length > ended);
      computations[ended]?.end('a new hash');
      await settle();
      expect(one.load()).to.deep.equal(load);
    }
    await Promise.all(all);
  });

  it('tell a comparison when it gets one, and not before', async () => {
    const passwords = createPasswords({ maxConcurrentHashes: 1 });
    const computations = holdComputations();
    const started: string[] = [];
    const compare = (password: string) =>
      passwords.compare(password, passwords.hashToCompare(PHC_OF_PASSWORD, 0), {
        onStart: () => started.push(`${password}, with ${computations.length} begun`),
      });
    const [first, second] = [compare('first'), compare('second')];
    await settle();
    expect(started).to.deep.equal(['first, with 0 begun']);
    computations[0]?.end(true);
    await first;
    await until(() => computations.length === 2);
    expect(started).to.deep.equal(['first, with 0 begun', 'second, with 1 begun']);
    computations[1]?.end(true);
    expect(await second).to.equal(true);
  });
});
