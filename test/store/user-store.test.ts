import { checkUserStore } from '../../src/store/user-store.js';
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
