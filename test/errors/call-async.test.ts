import { expect } from 'chai';
import { callAsync } from '../../src/errors/call-async.js';
import { rejectionOf } from '../helpers/thrown.js';

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
