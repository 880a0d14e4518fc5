import { hkdfSync } from 'node:crypto';
import { expect } from 'chai';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createLogin, createLoginRouter, createLoginThrottle, createTokens } from '../../src/index.js';
import { createKeyedDigest } from '../../src/login/keyed-digest.js';
import { accountStore } from '../helpers/accounts.js';
import { expectTypeError } from '../helpers/thrown.js';
import { setVariable } from '../helpers/variables.js';

const SECRET = 'a secret of the environment, 32 bytes or more';
const TEXTS = ['merchant', 'email', 'awa@boutique.example'] as const;
const SHORT = 'createLogin: digestKey must be text or bytes, 32 bytes or more.';
const MISSING =
  'createLogin: processes share the limiter of this throttle, so they need one digestKey to agree on its keys. ' +
  'Give { digestKey }, 32 random bytes that all processes have, or set JWT_SECRET.';

const hex = (digest: Buffer) => digest.toString('hex');

describe('createKeyedDigest', () => {
  beforeEach(() => {
    setVariable('JWT_SECRET', SECRET);
  });

  it('is keyed by HKDF of JWT_SECRET by default, the same in every instance and process', () => {
    const digests = [
      createKeyedDigest('createLogin', undefined, false),
      createKeyedDigest('createLogin', undefined, true),
    ].map((digest) => hex(digest(...TEXTS)));
    const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'express-merchant-auth digest key', 32));
    expect(digests).to.deep.equal([hex(createKeyedDigest('createLogin', key, false)(...TEXTS)), digests[0]]);
    // Processes of other versions compute the same digest.
    expect(digests[0]).to.equal('257b00fe3e41b118a74f34df56889bca78b63950ba24808f8845312eed77fbdc');
    setVariable('JWT_SECRET', `${SECRET}.`);
    expect(hex(createKeyedDigest('createLogin', undefined, false)(...TEXTS))).not.to.equal(digests[0]);
  });

  it('is keyed by the digestKey of the host, as text or bytes, whatever JWT_SECRET is', () => {
    const digestKey = 'é'.repeat(16);
    const digests = [digestKey, Buffer.from(digestKey)].map((given) =>
      hex(createKeyedDigest('createLogin', given, true)(...TEXTS)),
    );
    setVariable('JWT_SECRET', undefined);
    digests.push(hex(createKeyedDigest('createLogin', digestKey, true)(...TEXTS)));
    expect(new Set(digests).size).to.equal(1);
    expect(hex(createKeyedDigest('createLogin', 'e'.repeat(32), true)(...TEXTS))).not.to.equal(digests[0]);
  });

  it('has 256 bits and differs between lists of texts, even when the joined text is the same', () => {
    const digest = createKeyedDigest('createLogin', undefined, false);
    const lists = [[], [''], ['', ''], ['ab'], ['a', 'b'], ['a,b'], ['a","b'], ['b', 'a'], ['a', 'b', '']];
    expect(digest('a')).to.have.length(32);
    expect(new Set(lists.map((texts) => hex(digest(...texts)))).size).to.equal(lists.length);
  });

  it('is random without digestKey and secret, and different each time', () => {
    for (const empty of [undefined, '']) {
      setVariable('JWT_SECRET', empty);
      const [one, other] = [
        createKeyedDigest('createLogin', undefined, false),
        createKeyedDigest('createLogin', undefined, false),
      ];
      expect(hex(one(...TEXTS)))
        .to.equal(hex(one(...TEXTS)))
        .and.not.equal(hex(other(...TEXTS)));
      expectTypeError(() => createKeyedDigest('createLogin', undefined, true), MISSING);
    }
  });

  it('refuses a digestKey that is short or neither text nor bytes, without showing it', () => {
    for (const digestKey of ['', 'a'.repeat(31), 'é'.repeat(15), Buffer.alloc(31), null, new Uint16Array(32)]) {
      expectTypeError(
        () => createKeyedDigest('createLogin', digestKey as never, false),
        SHORT,
        'a'.repeat(31),
        'é'.repeat(15),
      );
    }
  });

  it('is created once for a login, and reports a mistake at construction', () => {
    const tokens = createTokens({ secret: 'another secret, not of the environment' });
    const throttle = createLoginThrottle({ limiter: (options) => new RateLimiterMemory(options) });
    for (const [name, factory] of Object.entries({ createLogin, createLoginRouter })) {
      const create = (options: object) => () => factory(accountStore(), { tokens, ...options });
      const named = (message: string) => message.replace('createLogin', name);
      expectTypeError(create({ digestKey: 'a short key' }), named(SHORT), 'a short key');
      setVariable('JWT_SECRET', SECRET);
      create({ throttle })();
      setVariable('JWT_SECRET', undefined);
      expectTypeError(create({ throttle }), named(MISSING));
      create({ throttle, digestKey: 'a digestKey of 32 bytes, or more' })();
      create({})();
      create({ throttle: false })();
    }
  });
});
