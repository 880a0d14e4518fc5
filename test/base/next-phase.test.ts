import { expect } from 'chai';
import { inNextPhase } from '../../src/base/next-phase.js';

describe('inNextPhase', () => {
  it('runs functions after all microtasks and ticks, even after later ones, in their order', async () => {
    const order: string[] = [];
    const done = new Promise<void>((resolve) => {
      inNextPhase(() => order.push('first'));
      inNextPhase(() => resolve(void order.push('second')));
    });
    process.nextTick(() => {
      order.push('tick');
      queueMicrotask(() => process.nextTick(() => order.push('later tick')));
    });
    queueMicrotask(() => order.push('microtask'));
    await done;
    expect(order.toSorted().join()).to.equal('first,later tick,microtask,second,tick');
    expect(order.slice(-2)).to.deep.equal(['first', 'second']);
  });
});
