import { stat } from 'node:fs/promises';
import { mock } from 'node:test';
import { expect } from 'chai';
import { callAsync, startTimeout, within } from '../../src/base/host-calls.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { rejectionOf } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';

/** Blocks the event loop, as synchronous work of a host does. */
function stall(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('callAsync', () => {
  it('resolves to a value, to the value of a promise, and to that of another thenable', async () => {
    const thenable = { then: (resolve: (value: string) => void) => resolve('value') };
    for (const answer of ['value', Promise.resolve('value'), thenable]) {
      expect(await callAsync(() => answer)).to.equal('value');
    }
  });

  it('rejects with the thrown value or the reason of the rejection', async () => {
    const error = new Error('failed');
    const throwing = () => {
      throw error;
    };
    expect(await rejectionOf(callAsync(throwing))).to.equal(error);
    expect(await rejectionOf(callAsync(() => Promise.reject(error)))).to.equal(error);
  });

  it('calls the function before it returns', () => {
    let isCalled = false;
    void callAsync(() => (isCalled = true));
    expect(isCalled).to.equal(true);
  });
});

describe('startTimeout', () => {
  it('stops, even after its time, while input is read', async () => {
    const time = freezeTime();
    const calls: string[] = [];
    const stopped = startTimeout(5_000, () => calls.push('stopped'));
    startTimeout(5_000, () => calls.push('called'));
    time.pass(5);
    expect(calls).to.deep.equal([]);
    stopped();
    await settle();
    expect(calls).to.deep.equal(['called']);
  });
});

describe('within', () => {
  it('rejects with a TimeoutError when a call does not answer', async () => {
    const error = await rejectionOf(within(2, () => new Promise(() => undefined)));
    expect(error).to.be.instanceOf(Error);
    expect(error).to.have.property('name', 'TimeoutError');
    expect(error).to.have.property('message', 'no answer within 2 ms');
  });

  it('waits for the whole time, and ignores a later answer', async () => {
    const time = freezeTime();
    let answer = (_value: string): void => undefined;
    let outcome: unknown;
    const waiting = within(2_000, () => new Promise<string>((resolve) => (answer = resolve)));
    waiting.catch((error: unknown) => (outcome = error));
    time.pass(1.999);
    await settle();
    expect(outcome).to.equal(undefined);
    time.pass(0.001);
    await settle();
    expect(outcome).to.have.property('name', 'TimeoutError');
    answer('late');
    expect(await rejectionOf(waiting)).to.equal(outcome);
  });

  it('asks the promise of a call once, because a lazy one starts its query when it is asked', async () => {
    let queries = 0;
    const lazy = new Promise<string>(() => undefined);
    lazy.then = (...then) => {
      queries += 1;
      return Promise.resolve('found').then(...then);
    };
    expect(await within(5, () => lazy)).to.equal('found');
    expect(queries).to.equal(1);
  });

  it('rejects with what the call throws or rejects with', async () => {
    const down = new Error('down');
    const throws = () => {
      throw down;
    };
    expect(await rejectionOf(within(5, throws))).to.equal(down);
    expect(await rejectionOf(within(5, () => Promise.reject(down)))).to.equal(down);
    expect(await rejectionOf(within(5, () => ({ then: throws }) as never))).to.equal(down);
  });

  it('counts its time in turns of the event loop, so that one long turn counts as a fifth of it', async () => {
    const time = freezeTime();
    let answer = (_value: string): void => undefined;
    const waiting = within(250, () => new Promise<string>((resolve) => (answer = resolve)));
    mock.timers.tick(10_000);
    await settle();
    time.pass(0.199);
    await settle();
    answer('late');
    expect(await waiting).to.equal('late');
  });

  it('accepts an answer that arrived in time, even when the event loop reads it late', async () => {
    const answer = within(200, () => {
      const found = stat(__filename);
      stall(600);
      return found;
    });
    expect((await answer).isFile()).to.equal(true);
  });
});
