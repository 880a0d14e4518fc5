import { expect } from 'chai';
import { createPasswords } from '../../src/passwords/passwords.js';
import { type Line, Place, processSlots, type Share, Slots } from '../../src/queue/slots.js';
import { PASSWORD, PASSWORD_HASH } from '../helpers/accounts.js';
import { TOO_BUSY } from '../helpers/answers.js';
import { holdComputations } from '../helpers/computations.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { expectAuthError, rejectionOf } from '../helpers/thrown.js';
import { countTimers } from '../helpers/timers.js';
import { settle } from '../helpers/until.js';

/** Slots whose computations the test ends. */
function heldSlots() {
  const slots = new Slots();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const shares: Record<string, Share> = {};
  const run = (
    name: string,
    {
      limit = 1,
      of = '',
      place,
    }: { readonly limit?: number; readonly of?: string; readonly place?: Place | undefined } = {},
  ) => {
    const share = (shares[`${limit} ${of}`] ??= { limit, line: slots.newLine('') });
    const compute = () => {
      started.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    };
    return slots.run(share, compute, place);
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
      const waiting = rejectionOf(slots.run({ limit: 1, line: slots.newLine('') }, failure));
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
    const timers = await countTimers();
    const { run, end } = heldSlots();
    void run('first');
    void run('waiting');
    expect(timers()).to.equal(1);
    await end('first');
    expect(timers()).to.equal(0);
  });

  it('are not held up by a waiting computation whose own limit is reached', async () => {
    const { started, run, end } = heldSlots();
    void run('first');
    void run('few');
    for (const name of ['one', 'two']) void run(name, { limit: 2 });
    await settle();
    expect(started).to.deep.equal(['first', 'one']);
    for (const name of ['first', 'one']) await end(name);
    expect(started).to.deep.equal(['first', 'one', 'few', 'two']);
  });

  it('keep a low limit beside a high one that has slots left', async () => {
    const { started, run, end } = heldSlots();
    for (const name of ['high', 'last']) void run(name, { limit: 3 });
    await end('last');
    for (const name of ['low', 'low again']) void run(name);
    await settle();
    expect(started).to.deep.equal(['high', 'last', 'low']);
    await end('low');
    expect(started.slice(3)).to.deep.equal(['low again']);
  });

  it('are given at once to waiting computations when one with a higher limit starts', async () => {
    const { started, run } = heldSlots();
    for (const of of ['a', 'b', 'c']) void run(of, { of });
    void run('high', { limit: 3 });
    await settle();
    expect(started).to.deep.equal(['a', 'high', 'b']);
  });

  it('are taken by tryRun only when one is free and nobody waits', async () => {
    const { slots, run } = heldSlots();
    const share = { limit: 2, line: slots.newLine('') };
    const tryRun = () => slots.tryRun(share, () => Promise.resolve('computed'));
    void run('first', { limit: 2 });
    expect(await tryRun()).to.equal('computed');
    void run('second', { limit: 2 });
    expect(await tryRun()).to.equal(undefined);
    void run('waiting', { limit: 2 });
    share.limit = 3;
    expect(await tryRun()).to.equal(undefined);
  });

  it('go to the place whose later line was served first, then to the one whose other line was', async () => {
    const { slots, started, run, end } = heldSlots();
    void run('first');
    const lines = new Map<string, Line>();
    const lineOf = (key: string) => {
      const line = lines.get(key) ?? slots.newLine(key);
      lines.set(key, line);
      return line;
    };
    const inTurn = async (names: readonly string[], expected: readonly string[]) => {
      const before = started.length;
      for (const name of names) {
        const [account = '', source = ''] = name.split(' ');
        void run(name, { place: new Place([lineOf(account), lineOf(source)]) });
      }
      for (const name of ['first', ...expected]) await end(name);
      expect(started.slice(before)).to.deep.equal(expected);
    };
    await settle();
    // An account at three sources, and three accounts at one source.
    await inTurn(['a x', 'a y', 'a z', 'b w', 'c w', 'd w', 'e v'], ['a x', 'b w', 'e v', 'a y', 'c w', 'a z', 'd w']);
    void run('first');
    await settle();
    // All are in one line.
    await inTurn(['all s #1', 'all s #2', 'all t #3'], ['all s #1', 'all t #3', 'all s #2']);
  });

  it('are not taken by a place that is dropped, before or while it waits', async () => {
    const { slots, started, run, end } = heldSlots();
    void run('first');
    const [early, late] = ['early', 'late'].map((name) => new Place([slots.newLine(name), slots.newLine(name)]));
    if (early) slots.drop(early);
    const dropped = [early, late].map((place) => rejectionOf(run('dropped', { place })));
    if (late) slots.drop(late);
    void run('last');
    for (const rejection of dropped) expectAuthError(await rejection, TOO_BUSY);
    expect(slots.load).to.deep.equal({ running: 1, waiting: 1 });
    await end('first');
    expect(started).to.deep.equal(['first', 'last']);
  });
});

describe('the slots of the process', () => {
  it('bound what several Passwords compute together: verify, compare, hash and upgrade', async () => {
    const one = createPasswords({ maxConcurrentHashes: 2 });
    const other = createPasswords({ maxConcurrentHashes: 2, algorithm: 'bcrypt' });
    const computations = holdComputations();
    const hash = one.hashToCompare(null, 0);
    const place = new Place([processSlots.newLine('account'), processSlots.newLine('source')]);
    const all: Promise<unknown>[] = [
      one.verify(PASSWORD, PASSWORD_HASH),
      other.hash(PASSWORD),
      other.verify(PASSWORD, null),
      one.compare(PASSWORD, hash, place),
      one.hash(PASSWORD),
    ];
    await settle();
    for (const passwords of [one, other]) expect(passwords.load()).to.deep.equal({ running: 2, waiting: 3 });
    expect(await other.upgrade(PASSWORD, PASSWORD_HASH)).to.equal(undefined);
    expect(place.state).to.equal('waiting');
    for (let ended = 0; ended < 5; ended++) {
      expect(computations).to.have.length(Math.min(ended + 2, 5));
      computations[ended]?.end('a new hash');
      await settle();
    }
    await Promise.all(all);
    expect(computations.map(({ kind, algorithm }) => `${algorithm} ${kind}`)).to.deep.equal([
      ...['argon2 verify', 'bcrypt hash', 'argon2 verify', 'argon2 hash', 'bcrypt verify'],
    ]);
    expect(one.load()).to.deep.equal({ running: 0, waiting: 0 });
    const upgraded = other.upgrade(PASSWORD, PASSWORD_HASH);
    await settle();
    expect(computations).to.have.length(6);
    expect(one.load()).to.deep.equal({ running: 1, waiting: 0 });
    computations[5]?.end('a new hash');
    expect(await upgraded).to.equal('a new hash');
  });
});
