import { expect } from 'chai';
import { parseRequireBearer } from '../../src/guard/require-bearer-options.js';
import * as auth from '../../src/index.js';
import { accountStore } from '../helpers/accounts.js';
import { expectTypeError } from '../helpers/thrown.js';

describe('the options of requireBearer', () => {
  it('throws at construction for a wrong option', () => {
    const known =
      'Known options: userStore, tokens, storeTimeoutMs, guard, reference, referenceNames, bodyLimit, respond.';
    const noStore = 'the userStore has no method findCredentials. Give an object that implements UserStore.';
    const noTokens = 'tokens must be what createTokens(...) returned.';
    const notWords = ['', 7, null, undefined, 'a b', 'a.b', 'é', '_a', '7a'];
    const otherMeanings = ['id', 'ID', 'i_d', 'length', 'values', 'constructor'];
    const noName =
      'referenceNames[1] must be a word such as "merchantId", and not "id" or a member of each array or object.';
    for (const [options, problem] of [
      [{ store: 1 }, `unknown option "store". ${known}`],
      [null, 'the options must be a plain object, { name: value }.'],
      [{ userStore: {} }, noStore],
      // For example from an import cycle.
      [{ userStore: undefined }, noStore],
      [{ tokens: {} }, noTokens],
      [{ tokens: Object.assign({}, auth.createTokens()) }, noTokens],
      [{ tokens: null }, noTokens],
      [{ reference: 'none' }, "reference must be one of 'own', 'reported', 'unchecked'."],
      ...[null, 'merchantId', [], { 0: 'merchantId' }].map(
        (names) =>
          [{ referenceNames: names }, "referenceNames must be a list of names, for example ['merchantId']."] as const,
      ),
      ...[...notWords, ...otherMeanings].map((name) => [{ referenceNames: ['wallet_id', name] }, noName] as const),
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
    auth.requireBearer({ guard });
    auth.requireBearer({ guard, reference: 'unchecked', bodyLimit: 1_000_000, respond: () => undefined });
    for (const option of ['userStore', 'tokens', 'storeTimeoutMs']) {
      expectTypeError(
        () => auth.requireBearer({ guard, [option]: undefined }),
        `requireBearer: unknown option "${option}". Known options: guard, reference, referenceNames, bodyLimit, respond.`,
      );
    }
    const partner = auth.createGuard({ tokens: auth.createTokens({ realm: 'partner' }) });
    const parsed = parseRequireBearer([{ guard: partner }]);
    expect([parsed.guard, parsed.settings.realm]).to.deep.equal([partner, 'partner']);
    const wrong = () => auth.requireBearer({ guard, reference: 'none' as never });
    expectTypeError(wrong, "requireBearer: reference must be one of 'own', 'reported', 'unchecked'.");
  });

  it('throws for a guard or options that are undefined, for example from an import cycle', () => {
    const mustBe = 'guard must be what createGuard(...) returned. It can be undefined because of an import cycle.';
    const likeAGuard = { authenticate: () => Promise.reject(new Error('never called')) };
    for (const guard of [undefined, null, likeAGuard]) {
      expectTypeError(() => auth.requireBearer({ guard: guard as never }), `requireBearer: ${mustBe}`);
    }
    const undefinedOptions = 'got undefined in place of its options, which can be due to an import cycle.';
    const options = undefined;
    expectTypeError(() => auth.requireBearer(options), `requireBearer ${undefinedOptions}`);
    expectTypeError(() => auth.createGuard(options), `createGuard ${undefinedOptions}`);
    expectTypeError(() => auth.createTokens(options), `createTokens ${undefinedOptions}`);
    const asArgument = () => auth.requireBearer(auth.createGuard() as never);
    expectTypeError(asArgument, 'requireBearer takes the guard as an option: requireBearer({ guard }).');
  });
});
