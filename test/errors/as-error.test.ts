import vm from 'node:vm';
import { expect } from 'chai';
import { asError, isError } from '../../src/errors/as-error.js';

const { proxy, revoke } = Proxy.revocable({}, {});
revoke();

const ERRORS = [
  new Error('down'),
  new TypeError('down'),
  Object.create(Error.prototype),
  vm.runInNewContext('new Error()'),
];
const OTHERS = [
  { code: 'ECONNREFUSED' },
  Object.create(null),
  undefined,
  null,
  false,
  0,
  '',
  'route',
  'router',
  'down',
  Symbol('down'),
  5n,
];

describe('isError', () => {
  it('tells what Express takes for an error from what it may go on for', () => {
    for (const reason of ERRORS) expect(isError(reason)).to.equal(true);
    for (const reason of OTHERS) expect(isError(reason)).to.equal(false);
    expect(isError(proxy), 'a Proxy that throws').to.equal(false);
  });
});

describe('asError', () => {
  it('leaves an Error as it is', () => {
    for (const reason of ERRORS) expect(asError(reason)).to.equal(reason);
  });

  it('wraps whatever else was thrown, which stays its cause', () => {
    for (const reason of OTHERS) {
      const error = asError(reason);
      expect(error).to.be.instanceOf(Error);
      expect(error).to.have.property('message', 'A value that is no Error was thrown');
      expect(error.cause).to.equal(reason);
    }
  });
});
