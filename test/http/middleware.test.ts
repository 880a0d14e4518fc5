import { expect } from 'chai';
import { markHandler, markOf } from '../../src/http/middleware.js';

describe('markHandler', () => {
  const mark = { kind: 'bearer', account: true, reference: 'own' } as const;

  it('marks a handler, and returns it', () => {
    const handler = () => undefined;
    expect(markOf(handler)).to.equal(undefined);
    expect(markHandler(handler, mark)).to.equal(handler);
    expect(markOf(handler)).to.equal(mark);
  });

  it('adds no property that other code could copy', () => {
    const handler = () => undefined;
    const before = Reflect.ownKeys(handler);
    markHandler(handler, mark);
    expect(Reflect.ownKeys(handler)).to.deep.equal(before);
    const copy = Object.assign(() => undefined, handler);
    Object.defineProperties(copy, Object.getOwnPropertyDescriptors(handler));
    expect(copy.name).to.equal('handler');
    for (const other of [copy, handler.bind(null), new Proxy(handler, {}), Object.create(handler) as object]) {
      expect(markOf(other)).to.equal(undefined);
    }
  });
});
