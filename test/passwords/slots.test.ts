import os from 'node:os';
import { mock } from 'node:test';
import { expect } from 'chai';
import { createPasswords } from '../../src/passwords/passwords.js';
import { defaultConcurrentHashes, MAX_WAIT_MS, processSlots, Slots } from '../../src/passwords/slots.js';
import { PASSWORD } from '../helpers/accounts.js';
import { Gauge, holdComputations } from '../helpers/computations.js';
import { PHC_OF_PASSWORD } from '../helpers/hashes.js';
import { expectAuthError, rejectionOf } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';

afterEach('the real clock and machine', () => {
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
  it('let no more computations run at a time than the limit, in the order in which they came', async () => {
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
    expect(slots.waiting).to.equal(7);
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
    expect([gauge.running, slots.waiting]).to.deep.equal([0, 0]);
  });

  it('keep the order of arrival, also when a slot was just given back', async () => {
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

  it('are given back by a computation that rejects or throws', async () => {
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

  it('are waited for no longer than was said, to the millisecond, and then not taken any more', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const slots = new Slots();
    const first = held<unknown>();
    const running = slots.run(1, first.compute);
    let isComputed = false;
    const compute = () => Promise.resolve((isComputed = true));
    let isSettled = false;
    const waiting = rejectionOf(slots.run(1, compute, { maxWaitMs: 5_000 })).finally(() => (isSettled = true));
    const patient = slots.run(1, () => Promise.resolve('in the end'));
    mock.timers.tick(4_999);
    await settle();
    expect([isSettled, slots.waiting]).to.deep.equal([false, 2]);
    mock.timers.tick(1);
    expectAuthError(await waiting, 'too_busy');
    expect(slots.waiting).to.equal(1);
    mock.timers.tick(1_000_000);
    first.end();
    await running;
    expect(await patient).to.equal('in the end');
    expect(isComputed).to.equal(false);
  });

  it('leave no timer behind that would keep the process up', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await settle(); // mocha has its own timer by then
    const before = timers();
    const slots = new Slots();
    const first = held<unknown>();
    const running = slots.run(1, first.compute);
    const waiting = slots.run(1, () => Promise.resolve('computed'), { maxWaitMs: 5_000 });
    expect(timers()).to.equal(before + 1);
    first.end();
    await Promise.all([running, waiting]);
    expect(timers()).to.equal(before);
  });

  it('end no computation that goes on for longer than any wait', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const slots = new Slots();
    const [first, second] = [held<string>(), held<string>()];
    const running = slots.run(1, first.compute, { maxWaitMs: 5_000 });
    const waiting = slots.run(1, second.compute, { maxWaitMs: 5_000 });
    mock.timers.tick(4_999);
    first.end('first');
    await running;
    mock.timers.tick(60_000);
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
    expect(slots.waiting).to.equal(1);
    const gone = rejectionOf(slots.run(1, compute, { signal: caller.signal }));
    expect(await gone).to.equal(reason);
    first.end();
    await running;
    expect(await next).to.equal('next');
    expect([isComputed, slots.waiting]).to.deep.equal([false, 0]);
  });

  it('do not interrupt a computation that has begun when its caller goes', async () => {
    const slots = new Slots();
    const caller = new AbortController();
    const first = held<string>();
    const running = slots.run(1, first.compute, { signal: caller.signal });
    caller.abort();
    first.end('done');
    expect(await running).to.equal('done');
    expect(await slots.run(1, () => Promise.resolve('free'))).to.equal('free');
  });

  it('are all used again after one waited for them that may use fewer', async () => {
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

  it('are all used when one gives up behind which others waited', async () => {
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

  it('are tried for only when one is free and nobody waits', async () => {
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

describe('the slots of the process', () => {
  it('bound what several Passwords compute together: verify, hash and upgrade', async () => {
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

  it('are waited for 5 s by a comparison, which then is too_busy, and without end by a new hash', async () => {
    expect(MAX_WAIT_MS).to.equal(5_000);
    mock.timers.enable({ apis: ['setTimeout'] });
    const passwords = createPasswords({ maxConcurrentHashes: 1 });
    const computations = holdComputations();
    const first = passwords.verify(PASSWORD, PHC_OF_PASSWORD);
    const second = rejectionOf(passwords.verify(PASSWORD, PHC_OF_PASSWORD));
    const hash = passwords.hash(PASSWORD);
    mock.timers.tick(4_999);
    await settle();
    expect(processSlots.waiting).to.equal(2);
    mock.timers.tick(1);
    const error = expectAuthError(await second, 'too_busy');
    const { 'Retry-After': seconds } = error.headers;
    expect(seconds).to.match(/^[2-8]$/);
    expect(error.headers).to.deep.equal({ 'Retry-After': seconds });
    expect(error.status).to.equal(503);
    expect(error.description).to.equal(`Too many logins at once. Try again in ${seconds} seconds.`);
    mock.timers.tick(600_000);
    computations[0]?.end(true);
    expect(await first).to.equal(true);
    await until(() => computations.length === 2);
    expect(computations[1]?.kind).to.equal('hash');
    computations[1]?.end('a new hash');
    expect(await hash).to.equal('a new hash');
  });

  it('come back from comparisons and hashes that fail', async () => {
    const passwords = createPasswords({ maxConcurrentHashes: 1 });
    const computations = holdComputations();
    const failures = [passwords.verify(PASSWORD, PHC_OF_PASSWORD), passwords.hash(PASSWORD)].map(rejectionOf);
    for (const [i, failure] of failures.entries()) {
      await until(() => computations.length > i);
      computations[i]?.end(new Error(`out of memory ${i}`));
      expect(await failure).to.have.property('message', `out of memory ${i}`);
    }
    expect(processSlots.waiting).to.equal(0);
    const last = passwords.verify(PASSWORD, PHC_OF_PASSWORD);
    await until(() => computations.length === 3);
    computations[2]?.end(true);
    expect(await last).to.equal(true);
  });

  it('are not used for a comparison whose caller went while it waited', async () => {
    const passwords = createPasswords({ maxConcurrentHashes: 1 });
    const computations = holdComputations();
    const caller = new AbortController();
    const first = passwords.verify(PASSWORD, PHC_OF_PASSWORD);
    const gone = rejectionOf(passwords.compare('of who went', PHC_OF_PASSWORD, { decoy: 0, signal: caller.signal }));
    const last = passwords.verify('of who stayed', PHC_OF_PASSWORD);
    caller.abort();
    expect(await gone).to.equal(caller.signal.reason);
    computations[0]?.end(true);
    await first;
    await until(() => computations.length === 2);
    computations[1]?.end(false);
    expect(await last).to.equal(false);
    expect(computations.map(({ password }) => password)).to.deep.equal([PASSWORD, 'of who stayed']);
  });
});
