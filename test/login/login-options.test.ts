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

    it('refuse a store without its methods', () => {
      const hint = 'Give an object that implements UserStore.';
      expectTypeError(create({}, null), `${name}: the userStore has no method findCredentials. ${hint}`);
    });

    it('refuse objects that the factories of this package did not create', () => {
      for (const [option, made, message] of [
        ['tokens', createTokens(), 'createTokens(...) returned.'],
        ['passwords', createPasswords(), 'createPasswords(...) returned.'],
        ['throttle', createLoginThrottle(), 'createLoginThrottle(...) returned, or false.'],
      ] as const) {
        create({ [option]: made })();
        expectTypeError(create({ [option]: Object.assign({}, made) }), `${name}: ${option} must be what ${message}`);
      }
    });

    it('refuse tokens that cannot sign', () => {
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
      const tokens = createTokens({ keys: [{ kid: 'k1', algorithm: 'ES256', publicKey }] });
      expectTypeError(create({ tokens }), `${name}: these tokens cannot sign. Give the first key its privateKey.`);
    });

    it('refuse numbers out of range', () => {
      for (const [option, value, range] of [
        ['storeTimeoutMs', 2 ** 31, 'from 1 to 2147483647'],
        ['maxPendingLogins', 0, 'at least 1'],
      ] as const) {
        expectTypeError(create({ [option]: value }), `${name}: ${option} must be a whole number ${range}.`);
      }
    });

    it('refuse unknown names', () => {
      expectTypeError(create({ realm: 1 }), `${name}: unknown option "realm". Known options: ${known}.`);
    });

    it('name the mistake when Express called the factory itself', () => {
      const message = `${name} was used as a middleware. Call it: app.use(${name}(...)).`;
      expectTypeError(create({}, new IncomingMessage(new Socket())), message);
    });

    it('need a secret when they have no tokens', () => {
      setVariable('JWT_SECRET', undefined);
      expect(create({})).to.throw(TypeError, /^createTokens: /);
    });
  });
}
