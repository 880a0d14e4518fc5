import { expect } from 'chai';
import { checkUserStore, copyOf } from '../../src/store/user-store.js';
import { AWA } from '../helpers/accounts.js';
import { expectTypeError } from '../helpers/thrown.js';

const method = () => Promise.resolve(null);

describe('checkUserStore', () => {
  it('names the method that is missing', () => {
    const hint = 'Give an object that implements UserStore.';
    for (const value of [undefined, null, 'store', {}, { findById: method }, { findCredentials: true }]) {
      expectTypeError(
        () => checkUserStore('createThing', value),
        `createThing: the userStore has no method findCredentials. ${hint}`,
      );
    }
    expectTypeError(
      () => checkUserStore('createThing', { findCredentials: method }),
      `createThing: the userStore has no method findById. ${hint}`,
    );
  });
});

describe('copyOf', () => {
  it('copies each member that can be changed in place', () => {
    const account = { ...AWA, tokensValidAfter: new Date(0), allowedSources: ['192.0.2.1'] };
    const copy = copyOf(account);
    expect(copy).to.deep.equal(account);
    for (const member of ['marchand', 'tokensValidAfter', 'allowedSources'] as const) {
      expect(copy[member], member).not.to.equal(account[member]);
    }
  });
});
