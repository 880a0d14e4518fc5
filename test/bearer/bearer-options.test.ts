import { expect } from 'chai';
import * as auth from '../../src/index.js';
import { accountStore } from '../helpers/accounts.js';

describe('the options of requireBearer', () => {
  it('throws at construction for a wrong option', () => {
    const options: [object, string][] = [
      [
        { store: 1 },
        'requireBearer: unknown option "store". Known options: userStore, tokens, storeTimeoutMs, reference, bodyLimit, respond.',
      ],
      [
        { userStore: {} },
        'requireBearer: the userStore has no method findCredentials. Give an object that implements UserStore.',
      ],
      [{ tokens: {} }, 'requireBearer: tokens must be what createTokens(...) returned.'],
      [
        { tokens: Object.assign({}, auth.createTokens()) },
        'requireBearer: tokens must be what createTokens(...) returned.',
      ],
      [{ tokens: null }, 'requireBearer: tokens must be what createTokens(...) returned.'],
      [{ reference: 'none' }, "requireBearer: reference must be 'own', 'reported' or 'unchecked'."],
      [{ bodyLimit: '1mb' }, 'requireBearer: bodyLimit must be a whole number at least 1.'],
      [{ bodyLimit: 0 }, 'requireBearer: bodyLimit must be a whole number at least 1.'],
      [{ storeTimeoutMs: Infinity }, 'requireBearer: storeTimeoutMs must be a whole number from 1 to 2147483647.'],
      [{ respond: {} }, 'requireBearer: respond must be a function.'],
    ];
    for (const [option, message] of options) {
      expect(() => auth.requireBearer(option), message).to.throw(TypeError, message);
    }
  });

  it('throws for a store instead of the options, and for an undefined store, for example from an import cycle', () => {
    const asOptions = () => auth.requireBearer(accountStore() as never);
    expect(asOptions).to.throw(TypeError, 'requireBearer: the options must be a plain object, { name: value }.');
    const undefinedStore = () => auth.requireBearer({ userStore: undefined as never });
    expect(undefinedStore).to.throw(TypeError, 'requireBearer: the userStore has no method findCredentials.');
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
