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

    it('can all be omitted, also as undefined', () => {
      create(undefined)();
      create({})();
      create(Object.fromEntries(known.split(', ').map((option) => [option, undefined])))();
    });

    it('are accepted when they are valid', () => {
      create({
        tokens: createTokens(),
        passwords: createPasswords(),
        throttle: createLoginThrottle(),
        digestKey: Buffer.alloc(32),
        storeTimeoutMs: 1,
        maxPendingLogins: 1,
      })();
      create({ throttle: false, maxPendingLogins: 1_000_000 })();
    });

    it('refuse a store without its two methods', () => {
      const hint = 'Give an object that implements UserStore.';
      const method = () => Promise.resolve(null);
      for (const userStore of [{}, null, 'store', { findById: method }]) {
        expectTypeError(create({}, userStore), `${name}: the userStore has no method findCredentials. ${hint}`);
      }
      const half = { findCredentials: method };
      expectTypeError(create({}, half), `${name}: the userStore has no method findById. ${hint}`);
    });

    it('refuse objects that the factories of this package did not create', () => {
      const standIns = [null, false, {}, 'made by hand', { issue: () => 'token', verify: () => true, check: () => 0 }];
      const copies = {
        tokens: Object.assign({}, createTokens()),
        passwords: Object.assign({}, createPasswords()),
        throttle: Object.assign({}, createLoginThrottle()),
      };
      for (const value of [...standIns, copies.tokens, createPasswords()]) {
        expectTypeError(create({ tokens: value }), `${name}: tokens must be what createTokens(...) returned.`);
      }
      for (const value of [...standIns, copies.passwords, createTokens()]) {
        expectTypeError(create({ passwords: value }), `${name}: passwords must be what createPasswords(...) returned.`);
      }
      for (const value of [...standIns, copies.throttle, true, createTokens()]) {
        if (value === false) continue;
        expectTypeError(
          create({ throttle: value }),
          `${name}: throttle must be what createLoginThrottle(...) returned, or false.`,
        );
      }
    });

    it('refuse tokens that cannot sign', () => {
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
      const tokens = createTokens({ keys: [{ kid: 'k1', algorithm: 'ES256', publicKey }] });
      expectTypeError(create({ tokens }), `${name}: these tokens cannot sign. Give the first key its privateKey.`);
    });

    it('refuse numbers out of range', () => {
      const odd = [0, -1, 1.5, Number.NaN, Infinity, '5', null];
      for (const value of [...odd, 2 ** 31]) {
        expectTypeError(
          create({ storeTimeoutMs: value }),
          `${name}: storeTimeoutMs must be a whole number from 1 to 2147483647.`,
        );
      }
      for (const value of odd) {
        expectTypeError(
          create({ maxPendingLogins: value }),
          `${name}: maxPendingLogins must be a whole number at least 1.`,
        );
      }
    });

    it('refuse unknown names, also those of other factories and of earlier versions', () => {
      for (const option of ['token', 'pepper', 'permits', 'places', 'maxConcurrentHashes', 'userStore', 'realm']) {
        expectTypeError(create({ [option]: 1 }), `${name}: unknown option "${option}". Known options: ${known}.`);
      }
    });

    it('refuse anything but a plain object', () => {
      for (const options of [null, 5, 'options', [], createTokens(), accountStore()]) {
        expectTypeError(create(options), `${name}: the options must be a plain object, { name: value }.`);
      }
    });

    it('name the mistake when Express called the factory itself', () => {
      const message = `${name} was used as a middleware. Call it: app.use(${name}(...)).`;
      expectTypeError(create({}, new IncomingMessage(new Socket())), message);
    });

    it('need a secret when they have no tokens', () => {
      const { JWT_SECRET } = process.env;
      delete process.env['JWT_SECRET'];
      try {
        expect(create({})).to.throw(TypeError, /^createTokens: /);
      } finally {
        process.env['JWT_SECRET'] = JWT_SECRET;
      }
    });
  });
}
