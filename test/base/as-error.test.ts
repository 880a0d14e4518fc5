import vm from 'node:vm';
import { expect } from 'chai';
import { asError } from '../../src/base/as-error.js';

describe('asError', () => {
  it('returns an Error unchanged, even one of another JavaScript realm', () => {
    for (const reason of [new TypeError('down'), Object.create(Error.prototype), vm.runInNewContext('new Error()')]) {
      expect(asError(reason)).to.equal(reason);
    }
  });

  it('wraps any other value, and keeps it as the cause', () => {
    const objects: readonly object[] = [{ code: 'ECONNREFUSED' }, Object.create(null) as object];
    for (const reason of [...objects, undefined, null, '', 'route', Symbol('down')]) {
      const error = asError(reason);
      expect(error).to.be.instanceOf(Error);
      expect(error).to.have.property('message', 'A value that is not an Error was thrown');
      expect(error.cause).to.equal(reason);
    }
  });
});
