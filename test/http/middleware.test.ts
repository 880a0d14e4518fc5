import { expect } from 'chai';
import { copiedMarkOf, markHandler, markOf } from '../../src/http/middleware.js';

describe('markHandler', () => {
  const mark = { kind: 'bearer', account: true, reference: 'own' } as const;

  it('marks a handler, and returns it', () => {
    const handler = () => undefined;
    expect(markOf(handler)).to.equal(undefined);
    expect(markHandler(handler, mark)).to.equal(handler);
    expect(markOf(handler)).to.equal(mark);
  });

  it('is not passed on with the properties of a handler', () => {
    const handler = () => undefined;
    markHandler(handler, mark);
    const copy = Object.assign(() => undefined, handler);
    Object.defineProperties(copy, Object.getOwnPropertyDescriptors(handler));
    expect(copy.name).to.equal('handler');
    for (const other of [copy, handler.bind(null), new Proxy(handler, {}), Object.create(handler) as object]) {
      expect(markOf(other)).to.equal(undefined);
    }
  });

  it('leaves the mark in an enumerable property, which wrappers copy and which nobody can change or make', () => {
    const handler = markHandler(() => undefined, mark);
    const copy = Object.assign(() => undefined, handler);
    expect(copiedMarkOf(copy)).to.equal(mark);
    expect(Object.isFrozen(mark)).to.equal(true);
    const [key = ''] = Object.keys(handler);
    for (const forged of [{}, { ...mark }, 'bearer', null, undefined]) {
      expect(copiedMarkOf(Object.assign(() => undefined, { [key]: forged }))).to.equal(undefined);
    }
  });
});
