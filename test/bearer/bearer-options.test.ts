import { expect } from 'chai';
import * as auth from '../../src/index.js';
import { accountStore } from '../helpers/accounts.js';
import { expectTypeError } from '../helpers/thrown.js';

describe('the options of requireBearer', () => {
  it('throws at construction for a wrong option', () => {
    const known = 'Known options: userStore, tokens, storeTimeoutMs, reference, bodyLimit, respond.';
    const noStore = 'the userStore has no method findCredentials. Give an object that implements UserStore.';
    const noTokens = 'tokens must be what createTokens(...) returned.';
    for (const [options, problem] of [
      [{ store: 1 }, `unknown option "store". ${known}`],
      [null, 'the options must be a plain object, { name: value }.'],
      [{ userStore: {} }, noStore],
      // For example from an import cycle.
      [{ userStore: undefined }, noStore],
      [{ tokens: {} }, noTokens],
      [{ tokens: Object.assign({}, auth.createTokens()) }, noTokens],
      [{ tokens: null }, noTokens],
      [{ reference: 'none' }, "reference must be 'own', 'reported' or 'unchecked'."],
      [{ bodyLimit: '1mb' }, 'bodyLimit must be a whole number at least 1.'],
      [{ bodyLimit: 0 }, 'bodyLimit must be a whole number at least 1.'],
      [{ storeTimeoutMs: Infinity }, 'storeTimeoutMs must be a whole number from 1 to 2147483647.'],
      [{ respond: {} }, 'respond must be a function.'],
    ] as const) {
      expectTypeError(() => auth.requireBearer(options as never), `requireBearer: ${problem}`);
    }
  });

  it('names the option userStore when it gets a store', () => {
    for (const [name, make] of Object.entries({ requireBearer: auth.requireBearer, createGuard: auth.createGuard })) {
      const takes = `${name} takes the store as an option: ${name}({ userStore }).`;
      for (const store of [accountStore(), { ...auth.createCachedUserStore(accountStore(), { maxStalenessMs: 1 }) }]) {
        expectTypeError(() => make(store as never), takes);
      }
    }
  });

  it('takes a guard with reference, bodyLimit and respond, and throws for any other option', () => {
    const guard = auth.createGuard();
    auth.requireBearer(guard);
    auth.requireBearer(guard, { reference: 'unchecked', bodyLimit: 1_000_000, respond: () => undefined });
    for (const option of ['userStore', 'tokens', 'storeTimeoutMs']) {
      expect(() => auth.requireBearer(guard, { [option]: undefined } as never)).to.throw(
        TypeError,
        `requireBearer: unknown option "${option}". Known options: reference, bodyLimit, respond.`,
      );
    }
    const wrong = () => auth.requireBearer(guard, { reference: 'none' } as never);
    expect(wrong).to.throw(TypeError, "requireBearer: reference must be 'own', 'reported' or 'unchecked'.");
  });

  it('throws for an undefined guard, for example from an import cycle, and for options in two objects', () => {
    const calls = [[undefined], [undefined, {}], [{}, { reference: 'own' }], [{}, undefined]] as unknown as Parameters<
      typeof auth.requireBearer
    >[];
    for (const args of calls) {
      expect(() => auth.requireBearer(...args)).to.throw(
        TypeError,
        'requireBearer takes either what createGuard(...) returned and options, or only options. A guard can be ' +
          'undefined because of an import cycle.',
      );
    }
    const likeAGuard = { authenticate: () => Promise.reject(new Error('never called')) };
    expect(() => auth.requireBearer(likeAGuard as never)).to.throw(TypeError, 'unknown option "authenticate"');
  });
});
