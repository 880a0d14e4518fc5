import os from 'node:os';
import { mock } from 'node:test';
import { expect } from 'chai';
import { createPasswords } from '../../src/passwords/passwords.js';
import { defaultConcurrentHashes, Slots } from '../../src/passwords/slots.js';
import { PASSWORD } from '../helpers/accounts.js';
import { TOO_BUSY } from '../helpers/answers.js';
import { holdComputations } from '../helpers/computations.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { PHC_OF_PASSWORD } from '../helpers/hashes.js';
import { expectAuthError, rejectionOf } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';
import { setVariable } from '../helpers/variables.js';

afterEach('restore the real machine', () => mock.restoreAll());

describe('defaultConcurrentHashes', () => {
  it('is half of the threads of libuv, at least one and at most the cores', () => {
    for (const [size, cores, hashes] of [
      [undefined, 8, 2],
      [undefined, 1, 1],
      ['1', 8, 1],
      ['3', 8, 1],
      ['16', 64, 8],
      ['128', 8, 8],
      ['-4', 8, 1],
      ['', 8, 1],
      ['many', 8, 1],
      ['4.5', 8, 2],
      ['6 threads', 8, 3],
    ] as const) {
      mock.method(os, 'availableParallelism', () => cores);
      setVariable('UV_THREADPOOL_SIZE', size);
      expect(defaultConcurrentHashes(), `${size} threads, ${cores} cores`).to.equal(hashes);
    }
  });
});

/** Slots whose computations the test ends. */
function heldSlots() {
  const slots = new Slots();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, { limit = 1, isKnown = true } = {}) => {
    const compute = () => {
      started.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    };
    return slots.run(limit, compute, isKnown);
  };
  const end = async (name: string) => {
    await settle();
    ends.get(name)?.();
    await settle();
  };
  return { slots, started, run, end };
}

describe('Slots', () => {
  it('run no more computations at a time than the limit, in their order of arrival', async () => {
    const { slots, started, run, end } = heldSlots();
    const names = Array.from('abcdefgh');
    const results = names.map((name) => run(name, { limit: 3 }));
    expect(slots.load).to.deep.equal({ running: 3, waiting: 5 });
    for (const [index, name] of Array.from('cabed').entries()) {
      await end(name);
      expect(started).to.deep.equal(names.slice(0, index + 4));
    }
    for (const name of names) await end(name);
    expect(await Promise.all(results)).to.deep.equal(names);
    expect(slots.load).to.deep.equal({ running: 0, waiting: 0 });
  });

  it('keep the order of arrival, even when a slot was just freed', async () => {
    const { started, run, end } = heldSlots();
    const first = run('first');
    void run('second');
    const third = first.then(() => run('third'));
    for (const name of ['first', 'second', 'third']) await end(name);
    await third;
    expect(started).to.deep.equal(['first', 'second', 'third']);
  });

  it('are freed by a computation that rejects or throws', async () => {
    const reason = new Error('out of memory');
    for (const failure of [
      () => Promise.reject(reason),
      () => {
        throw reason;
      },
    ]) {
      const { slots, started, run, end } = heldSlots();
      void run('first');
      const waiting = rejectionOf(slots.run(1, failure));
      void run('last');
      await end('first');
      expect(await waiting).to.equal(reason);
      expect(started).to.deep.equal(['first', 'last']);
    }
  });

  it('are waited for ten seconds, and then not taken any more', async () => {
    const time = freezeTime();
    const { slots, started, run, end } = heldSlots();
    void run('first');
    const waiting = rejectionOf(run('waiting'));
    time.pass(9.99);
    void run('later');
    await settle();
    expect(slots.load).to.deep.equal({ running: 1, waiting: 2 });
    time.pass(0.01);
    expectAuthError(await waiting, TOO_BUSY);
    expect(slots.load).to.deep.equal({ running: 1, waiting: 1 });
    await end('first');
    expect(started).to.deep.equal(['first', 'later']);
  });

  it('leave no timer behind that would keep the process up', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await settle(); // mocha has set a timer for this test.
    const before = timers();
    const { run, end } = heldSlots();
    void run('first');
    void run('waiting');
    expect(timers()).to.equal(before + 1);
    await end('first');
    expect(timers()).to.equal(before);
  });

  it('are not held up by a waiting computation whose own limit is reached', async () => {
    const { started, run, end } = heldSlots();
    void run('first');
    void run('few');
    for (const name of ['one', 'two']) void run(name, { limit: 2 });
    await settle();
    expect(started).to.deep.equal(['first', 'one']);
    await end('first');
    expect(started).to.deep.equal(['first', 'one', 'two']);
    await end('one');
    await end('two');
    expect(started).to.deep.equal(['first', 'one', 'two', 'few']);
  });

  it('are taken by tryRun only when one is free and nobody waits', async () => {
    const { slots, run } = heldSlots();
    const compute = () => Promise.resolve('computed');
    expect(await slots.tryRun(1, compute)).to.equal('computed');
    void run('first', { limit: 2 });
    expect(await slots.tryRun(1, compute)).to.equal(undefined);
    expect(await slots.tryRun(2, compute)).to.equal('computed');
    void run('waiting');
    expect(await slots.tryRun(2, compute)).to.equal(undefined);
  });

  it('go to three known sources and one other in turn, while both wait', async () => {
    const { started, run, end } = heldSlots();
    void run('first');
    for (let index = 1; index <= 6; index++) {
      void run(`other ${index}`, { isKnown: false });
      void run(`known ${index}`);
    }
    await settle();
    for (let ended = 0; ended < 12; ended++) await end(started[ended] ?? '');
    expect(started.slice(1).map((name) => name.split(' ')[0])).to.deep.equal([
      ...['known', 'known', 'known', 'other'],
      ...['known', 'known', 'known', 'other'],
      ...['other', 'other', 'other', 'other'],
    ]);
  });
});

describe('the slots of the process', () => {
  it('bound what several Passwords compute together: verify, compare, hash and upgrade', async () => {
    const one = createPasswords({ maxConcurrentHashes: 2 });
    const other = createPasswords({ maxConcurrentHashes: 2, algorithm: 'bcrypt' });
    const computations = holdComputations();
    const started: string[] = [];
    const hash = one.hashToCompare(null, 0);
    const all: Promise<unknown>[] = [
      one.verify(PASSWORD, PHC_OF_PASSWORD),
      other.hash(PASSWORD),
      other.verify(PASSWORD, null),
      one.compare(PASSWORD, hash, { onStart: () => started.push(`after ${computations.length}`) }),
      one.hash(PASSWORD),
    ];
    await settle();
    for (const passwords of [one, other]) expect(passwords.load()).to.deep.equal({ running: 2, waiting: 3 });
    expect(await other.upgrade(PASSWORD, PHC_OF_PASSWORD)).to.equal(undefined);
    expect(started).to.deep.equal([]);
    for (let ended = 0; ended < 5; ended++) {
      expect(computations).to.have.length(Math.min(ended + 2, 5));
      computations[ended]?.end('a new hash');
      await settle();
    }
    await Promise.all(all);
    expect(computations.map(({ kind, algorithm }) => `${algorithm} ${kind}`)).to.deep.equal([
      ...['argon2 verify', 'bcrypt hash', 'bcrypt verify', 'argon2 verify', 'argon2 hash'],
    ]);
    expect(started).to.deep.equal(['after 3']);
    expect(one.load()).to.deep.equal({ running: 0, waiting: 0 });
    const upgraded = other.upgrade(PASSWORD, PHC_OF_PASSWORD);
    await settle();
    expect(computations).to.have.length(6);
    expect(one.load()).to.deep.equal({ running: 1, waiting: 0 });
    computations[5]?.end('a new hash');
    expect(await upgraded).to.equal('a new hash');
  });
});
