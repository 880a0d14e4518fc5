import { generateKeyPairSync } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import {
  createLogin,
  createLoginRouter,
  createLoginThrottle,
  createPasswords,
  createTokens,
  type LoginOptions,
} from '../../src/index.js';
import { accountStore } from '../helpers/accounts.js';
import { expectTypeError } from '../helpers/thrown.js';
import { setVariable } from '../helpers/variables.js';

const OPTIONS = 'tokens, passwords, throttle, digestKey, storeTimeoutMs, maxPendingLogins';
const FACTORIES = [
  ['createLogin', createLogin, OPTIONS],
  ['createLoginRouter', createLoginRouter, `${OPTIONS}, respond`],
] as const;

for (const [name, factory, known] of FACTORIES) {
  describe(`the options of ${name}`, () => {
    const create = (options: unknown, userStore: unknown = accountStore()) => {
      return () => factory(userStore as never, options as LoginOptions);
    };

    it('can all be omitted or undefined', () => {
      create(undefined)();
      create(Object.fromEntries(known.split(', ').map((option) => [option, undefined])))();
    });

    it('accept the objects of the factories of this package', () => {
      create({ tokens: createTokens(), passwords: createPasswords(), throttle: createLoginThrottle() })();
    });

    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const verifying = createTokens({ keys: [{ kid: 'k1', algorithm: 'ES256', publicKey }] });
    const cannotSign = 'the first key of these tokens cannot sign. Give its privateKey.';
    for (const [what, options, problem] of [
      ['other tokens', { tokens: {} }, 'tokens must be what createTokens(...) returned.'],
      ['other passwords', { passwords: {} }, 'passwords must be what createPasswords(...) returned.'],
      ['another throttle', { throttle: {} }, 'throttle must be what createLoginThrottle(...) returned, or false.'],
      ['tokens that cannot sign', { tokens: verifying }, cannotSign],
      ['a long timeout', { storeTimeoutMs: 2 ** 31 }, 'storeTimeoutMs must be a whole number from 1 to 2147483647.'],
      ['no pending logins', { maxPendingLogins: 0 }, 'maxPendingLogins must be a whole number at least 1.'],
      ['unknown names', { realm: 1 }, `unknown option "realm". Known options: ${known}.`],
    ] as const) {
      it(`refuse ${what}`, () => {
        expectTypeError(create(options), `${name}: ${problem}`);
      });
    }

    it('refuse a store without its methods, and the request of Express', () => {
      const noStore = 'the userStore has no method findCredentials. Give an object that implements UserStore.';
      expectTypeError(create({}, null), `${name}: ${noStore}`);
      const message = `${name} was used as a middleware. Call it: app.use(${name}(...)).`;
      expectTypeError(create({}, new IncomingMessage(new Socket())), message);
    });

    it('need a secret when they have no tokens', () => {
      setVariable('JWT_SECRET', undefined);
      expect(create({})).to.throw(TypeError, /^createTokens: /);
    });
  });
}
