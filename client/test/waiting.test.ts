import { expect } from 'chai';
import { delay, settleWithin, singleFlight, unlessAborted } from '../src/waiting.js';
import { freezeTime } from '../../test/helpers/frozen-time.js';
import { rejectionOf } from '../../test/helpers/thrown.js';
import { settle } from '../../test/helpers/until.js';
import { gate, type Gate } from './stub-service.js';

describe('singleFlight', () => {
  it('shares one run among overlapping calls, also when it rejects, and then runs again', async () => {
    const runs: Gate<string>[] = [];
    const call = singleFlight(async () => {
      const run = gate<string>();
      runs.push(run);
      const outcome = await run.opened;
      if (outcome === 'failed') throw new Error(outcome);
      return outcome;
    });
    const first = [call(), call()];
    runs[0]?.open('done');
    expect(await Promise.all(first)).to.deep.equal(['done', 'done']);
    const second = [call(), call()].map(rejectionOf);
    runs[1]?.open('failed');
    const [one, other] = await Promise.all(second);
    expect(one).to.be.instanceOf(Error).and.equal(other);
    expect(runs).to.have.length(2);
  });
});

describe('unlessAborted', () => {
  it('starts no work when the signal is already aborted', async () => {
    let isStarted = false;
    const work = () => {
      isStarted = true;
      return Promise.resolve();
    };
    expect(await rejectionOf(unlessAborted(AbortSignal.abort('gone'), work))).to.equal('gone');
    expect(isStarted).to.equal(false);
  });

  it('rejects with the reason of the signal while the work goes on', async () => {
    const caller = new AbortController();
    const work = gate<string>();
    const waiting = rejectionOf(unlessAborted(caller.signal, () => work.opened));
    caller.abort('gone');
    expect(await waiting).to.equal('gone');
    work.open('done');
    expect(await work.opened).to.equal('done');
  });

  it('settles like the work, with a signal and without one', async () => {
    for (const signal of [undefined, null, new AbortController().signal]) {
      expect(await unlessAborted(signal, () => Promise.resolve('done'))).to.equal('done');
      expect(await rejectionOf(unlessAborted(signal, () => Promise.reject(new Error('failed'))))).to.be.instanceOf(
        Error,
      );
    }
  });
});

describe('settleWithin', () => {
  it('resolves to the value of the call, and to undefined when the call throws or rejects', async () => {
    expect(await settleWithin(1_000, () => 'value')).to.equal('value');
    expect(await settleWithin(1_000, () => Promise.resolve('value'))).to.equal('value');
    const failing = (): string => {
      throw new Error('failed');
    };
    expect(await settleWithin(1_000, failing)).to.equal(undefined);
    const rejecting = (): Promise<string> => Promise.reject(new Error('failed'));
    expect(await settleWithin(1_000, rejecting)).to.equal(undefined);
  });

  it('resolves to undefined when its time is over, and not before', async () => {
    const time = freezeTime();
    let settled: unknown = 'waiting';
    const never = () => new Promise<string>(() => undefined);
    void settleWithin(2_000, never).then((value: unknown) => {
      settled = value;
    });
    time.pass(1.999);
    await settle();
    expect(settled).to.equal('waiting');
    time.pass(0.001);
    await settle();
    expect(settled).to.equal(undefined);
  });
});

describe('delay', () => {
  it('resolves after its time, and not before', async () => {
    const time = freezeTime();
    let isOver = false;
    void delay(2_000).then(() => {
      isOver = true;
    });
    time.pass(1.999);
    await settle();
    expect(isOver).to.equal(false);
    time.pass(0.001);
    await settle();
    expect(isOver).to.equal(true);
  });
});
