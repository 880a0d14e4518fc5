import { hkdfSync } from 'node:crypto';
import { expect } from 'chai';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createLoginRouter, createLoginThrottle, createTokens } from '../src/index.js';
import { createKeyedDigest } from '../src/pepper.js';
import { accountStore } from './helpers/accounts.js';
import { expectTypeError } from './helpers/thrown.js';

const SECRET = 'a secret of the environment, 32 bytes or more';
const TEXTS = ['merchant', 'email', 'awa@boutique.example'] as const;
const SHORT = 'createLoginRouter: pepper must be text or bytes, 32 bytes or more.';
const MISSING =
  'createLoginRouter: the throttle has a limiter that processes share, and they need one pepper to agree on its keys. ' +
  'Give { pepper }, 32 random bytes that all processes have, or set JWT_SECRET.';

const hex = (digest: Buffer) => digest.toString('hex');

describe('createKeyedDigest', () => {
  const { JWT_SECRET } = process.env;
  beforeEach(() => {
    process.env['JWT_SECRET'] = SECRET;
  });
  afterEach(() => {
    process.env['JWT_SECRET'] = JWT_SECRET;
  });

  it('is keyed by HKDF of JWT_SECRET by default, the same in every instance and process', () => {
    const digests = [createKeyedDigest(undefined, false), createKeyedDigest(undefined, true)].map((digest) =>
      hex(digest(...TEXTS)),
    );
    const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'express-merchant-auth pepper', 32));
    expect(digests).to.deep.equal([hex(createKeyedDigest(key, false)(...TEXTS)), digests[0]]);
    // What processes of another version have to agree with.
    expect(digests[0]).to.equal('9e9675e433b75335091a62003015778bde702521dc791d1fc6020d86cabe60d2');
    process.env['JWT_SECRET'] = `${SECRET}.`;
    expect(hex(createKeyedDigest(undefined, false)(...TEXTS))).not.to.equal(digests[0]);
  });

  it('is keyed by a pepper of the host, as text or bytes, whatever JWT_SECRET is', () => {
    const pepper = 'é'.repeat(16);
    const peppers = [pepper, Buffer.from(pepper), new Uint8Array(Buffer.from(pepper))];
    const digests = peppers.map((given) => hex(createKeyedDigest(given, true)(...TEXTS)));
    delete process.env['JWT_SECRET'];
    digests.push(hex(createKeyedDigest(pepper, true)(...TEXTS)));
    expect(new Set(digests).size).to.equal(1);
    expect(hex(createKeyedDigest('e'.repeat(32), true)(...TEXTS))).not.to.equal(digests[0]);
  });

  it('is of 256 bits and tells lists of texts apart, however they are divided', () => {
    const digest = createKeyedDigest(undefined, false);
    const lists = [
      [],
      [''],
      ['', ''],
      ['ab'],
      ['a', 'b'],
      ['a,b'],
      ['a","b'],
      ['["a","b"]'],
      ['b', 'a'],
      ['a', 'b', ''],
    ];
    expect(digest('a')).to.have.length(32);
    expect(new Set(lists.map((texts) => hex(digest(...texts)))).size).to.equal(lists.length);
  });

  it('is random without pepper and secret, another one each time', () => {
    for (const empty of [undefined, '']) {
      if (empty === undefined) delete process.env['JWT_SECRET'];
      else process.env['JWT_SECRET'] = empty;
      const [one, other] = [createKeyedDigest(undefined, false), createKeyedDigest(undefined, false)];
      expect(hex(one(...TEXTS)))
        .to.equal(hex(one(...TEXTS)))
        .and.not.equal(hex(other(...TEXTS)));
      expectTypeError(() => createKeyedDigest(undefined, true), MISSING);
    }
  });

  it('refuses a pepper that is short or neither text nor bytes, without showing it', () => {
    const short = ['', 'a'.repeat(31), 'é'.repeat(15), Buffer.alloc(31), new Uint8Array(0)];
    const odd = [
      null,
      32,
      {},
      [],
      new ArrayBuffer(32),
      { length: 32 },
      new Uint16Array(32),
      Array.from('a'.repeat(32)),
    ];
    for (const pepper of [...short, ...odd]) {
      expectTypeError(() => createKeyedDigest(pepper as never, false), SHORT, 'a'.repeat(31), 'é'.repeat(15));
    }
  });

  it('is made once for a login router, which says what is wrong at construction', () => {
    const tokens = createTokens({ secret: 'another secret, not of the environment' });
    const throttle = createLoginThrottle({ limiter: (options) => new RateLimiterMemory(options) });
    const create = (options: object) => () => createLoginRouter(accountStore(), { tokens, ...options });
    expectTypeError(create({ pepper: 'short' }), SHORT, 'short pepper');
    create({ throttle })();
    delete process.env['JWT_SECRET'];
    expectTypeError(create({ throttle }), MISSING);
    create({ throttle, pepper: 'a pepper of 32 bytes, or of more' })();
    create({})();
    create({ throttle: false })();
  });
});
