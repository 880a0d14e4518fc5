import argon2 from '@node-rs/argon2';
import { expect } from 'chai';
import {
  argon2i,
  argon2id,
  costOfArgon2,
  DEFAULT_ARGON2_COST,
  decoyArgon2id,
  hashArgon2id,
  MAX_ARGON2_COST,
} from '../../src/passwords/argon2.js';
import { PASSWORD, PASSWORD_HASH } from '../helpers/accounts.js';
import { LOW_COST_HASH, phc } from '../helpers/hashes.js';

describe('costOfArgon2', () => {
  it('reads the cost of a complete hash', () => {
    expect(costOfArgon2('id', PASSWORD_HASH)).to.deep.equal({ memoryCost: 19_456, timeCost: 2, parallelism: 1 });
    expect(costOfArgon2('id', LOW_COST_HASH)).to.deep.equal({ memoryCost: 8, timeCost: 1, parallelism: 1 });
    expect(costOfArgon2('id', phc({ m: 65_536, t: 3, p: 4 }))).to.deep.equal({
      memoryCost: 65_536,
      timeCost: 3,
      parallelism: 4,
    });
  });

  it('reads every cost up to the highest that is computed, and none above', () => {
    const { memoryCost: m, timeCost: t, parallelism: p } = MAX_ARGON2_COST;
    expect([m, t, p]).to.deep.equal([262_144, 16, 16]);
    expect(costOfArgon2('id', phc({ m, t, p }))).to.deep.equal(MAX_ARGON2_COST);
    for (const over of [{ m: m + 1 }, { t: t + 1 }, { p: p + 1 }, { m: 9_999_999 }, { t: 999 }, { p: 255 }]) {
      expect(costOfArgon2('id', phc(over)), JSON.stringify(over)).to.equal(undefined);
    }
    for (const over of [{ m: '99999999999' }, { t: '4294967298' }, { p: '4294967297' }]) {
      expect(costOfArgon2('id', phc(over)), JSON.stringify(over)).to.equal(undefined);
    }
  });

  it('reads no cost that argon2 does not have', () => {
    const impossible = [{ m: 0 }, { t: 0 }, { p: 0 }, { m: 7 }, { m: 15, p: 2 }, { m: -8 }, { m: '' }, { t: '1.5' }];
    for (const cost of impossible) expect(costOfArgon2('id', phc(cost)), JSON.stringify(cost)).to.equal(undefined);
    expect(costOfArgon2('id', phc({ m: 16, p: 2 }))).to.deep.equal({ memoryCost: 16, timeCost: 2, parallelism: 2 });
  });

  it('reads only its own variant, and only in PHC form', () => {
    const others = [
      '',
      PASSWORD_HASH.replace('argon2id', 'argon2i'),
      PASSWORD_HASH.replace('argon2id', 'argon2d'),
      PASSWORD_HASH.replace('argon2id', 'ARGON2ID'),
      PASSWORD_HASH.replace('v=19', 'v=16'),
      PASSWORD_HASH.replace('$v=19', ''),
      PASSWORD_HASH.replace('m=19456,t=2', 't=2,m=19456'),
      PASSWORD_HASH.replace('p=1', 'p=1,keyid=AAAA'),
      ` ${PASSWORD_HASH}`,
      `${PASSWORD_HASH}\n`,
      PASSWORD_HASH.repeat(2),
      '$2y$12$GhvMmNVjRW29ulnudl.LbuAnUtN/LRfe1JsBm1Xu6LE3059z5Tr8m',
    ];
    for (const hash of others) expect(costOfArgon2('id', hash), hash).to.equal(undefined);
  });

  it('reads no output of an unusual length, as a short column leaves it', () => {
    const bytes = (length: number) => Buffer.alloc(length, 'é').toString('base64').replaceAll('=', '');
    for (let length = 1; length <= 80; length++) {
      const inUse = length >= 16 && length <= 64 && length % 8 === 0;
      expect(costOfArgon2('id', phc({ output: bytes(length) })) !== undefined, String(length)).to.equal(inUse);
    }
    const [output] = PASSWORD_HASH.split('$').slice(-1);
    for (const spelled of [`${output}A`, output?.slice(0, -1), output?.replace(/.$/, '5'), `${output}=`, '']) {
      expect(costOfArgon2('id', phc({ output: spelled ?? '' })), spelled).to.equal(undefined);
    }
  });

  it('reads no hash that was cut off, except to an output of 24 bytes', () => {
    const cuts = Array.from(PASSWORD_HASH, (_, length) => PASSWORD_HASH.slice(0, length));
    expect(cuts.filter((cut) => costOfArgon2('id', cut))).to.deep.equal([PASSWORD_HASH.slice(0, -11)]);
  });

  it('reads no hash on which the computation would throw', async () => {
    const unusable = [
      phc({ salt: 'A'.repeat(13) }),
      phc({ salt: 'A'.repeat(17) }),
      phc({ salt: 'dLCcEdRBT6OqEUPAem0dLh' }),
      phc({ salt: '' }),
      phc({ salt: 'A'.repeat(10) }),
      phc({ salt: Buffer.alloc(66, 'salt').toString('base64') }),
      phc({ m: '019456' }),
      phc({ t: '02' }),
      phc({ p: '01' }),
    ];
    for (const hash of unusable) expect(costOfArgon2('id', hash), hash).to.equal(undefined);
    for (const bytes of [8, 9, 10, 16, 17, 18, 32, 64]) {
      const salt = Buffer.alloc(bytes, 'salt').toString('base64').replaceAll('=', '');
      const hash = phc({ m: 8, t: 1, salt });
      expect(costOfArgon2('id', hash), hash).not.to.equal(undefined);
      expect(await argon2id.verify(PASSWORD, hash)).to.equal(false);
    }
  });
});

describe('argon2id and argon2i', () => {
  it('compares with the hash that another implementation made', async () => {
    // From test.c of the reference implementation, because RFC 9106 has no vector without a secret and associated data.
    const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(costOfArgon2('id', reference)).not.to.equal(undefined);
    expect(await argon2id.verify('password', reference)).to.equal(true);
    expect(await argon2id.verify('Password', reference)).to.equal(false);
    const referenceOfI = '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA';
    expect(await argon2i.verify('password', referenceOfI)).to.equal(true);
    expect(await argon2i.verify('Password', referenceOfI)).to.equal(false);
  });

  it('are each recognized by their own name, and computed only when complete and within the highest cost', () => {
    const i = (hash: string) => hash.replace('$argon2id$', '$argon2i$');
    for (const hash of [PASSWORD_HASH, phc({ m: 262_145 }), phc({ output: 'AAAA' })]) {
      expect([argon2id.identify(hash), argon2i.identify(hash)]).to.deep.equal([true, false]);
      expect([argon2id.identify(i(hash)), argon2i.identify(i(hash))]).to.deep.equal([false, true]);
      const isWhole = hash === PASSWORD_HASH;
      expect([argon2id.isComputable(hash), argon2i.isComputable(hash)]).to.deep.equal([isWhole, false]);
      expect([argon2id.isComputable(i(hash)), argon2i.isComputable(i(hash))]).to.deep.equal([false, isWhole]);
    }
    expect([argon2id.identify('$argon2d$v=19$'), argon2i.identify('$argon2d$v=19$')]).to.deep.equal([false, false]);
  });
});

describe('decoyArgon2id', () => {
  it('looks like a hash of its cost, so that it is computed', async () => {
    const cost = { memoryCost: 64, timeCost: 3, parallelism: 2 };
    const decoy = decoyArgon2id(cost);
    const real = await hashArgon2id(PASSWORD, cost);
    expect(costOfArgon2('id', decoy)).to.deep.equal(cost);
    expect(decoy.split('$').map((part) => part.length)).to.deep.equal(real.split('$').map((part) => part.length));
    expect(await argon2.verify(decoy, PASSWORD)).to.equal(false);
  });

  it('differs each time', () => {
    const decoys = [1, 2, 3].map(() => decoyArgon2id(DEFAULT_ARGON2_COST));
    expect(new Set(decoys.map((decoy) => decoy.split('$')[4])).size).to.equal(3);
    expect(new Set(decoys.map((decoy) => decoy.split('$')[5])).size).to.equal(3);
  });
});
