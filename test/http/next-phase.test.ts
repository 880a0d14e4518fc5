import timers from 'node:timers';
import { expect } from 'chai';
import { inNextPhase } from '../../src/http/next-phase.js';

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

  it('is the setImmediate that node:timers had when the package was loaded', () => {
    const { setImmediate: real } = timers;
    expect(inNextPhase).to.equal(real);
    const fake = (): void => undefined;
    const file = require.resolve('../../src/http/next-phase.js');
    const { [file]: loaded } = require.cache;
    Reflect.deleteProperty(require.cache, file);
    Object.assign(timers, { setImmediate: fake });
    try {
      // eslint-disable-next-line @typescript-eslint/no-require-imports -- a second copy can only be had through the cache
      const copy = require(file) as typeof import('../../src/http/next-phase.js');
      Object.assign(timers, { setImmediate: real });
      expect(copy.inNextPhase).to.equal(fake);
    } finally {
      Object.assign(timers, { setImmediate: real });
      require.cache[file] = loaded;
    }
  });
});
