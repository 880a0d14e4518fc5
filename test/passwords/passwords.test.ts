import { expect } from 'chai';
import { createPasswords } from '../../src/passwords/passwords.js';
import { PASSWORD, PASSWORD_HASH } from '../helpers/accounts.js';
import { stubComputations } from '../helpers/computations.js';
import { phc } from '../helpers/hashes.js';
import { rejectionOf } from '../helpers/thrown.js';

const BCRYPT = '$2y$12$GhvMmNVjRW29ulnudl.LbuAnUtN/LRfe1JsBm1Xu6LE3059z5Tr8m';
const DEFAULT_COST = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

describe('Passwords.hash', () => {
  it('refuses a password that login.attempt refuses', async () => {
    const error = await rejectionOf(createPasswords().hash('é'.repeat(256)));
    expect(error).to.be.instanceOf(RangeError);
    expect((error as Error).message).to.equal(
      'login.attempt refuses this password: it needs 1 to 255 characters, without NUL and without half of a surrogate pair. ' +
        'Check it in your form.',
    );
  });

  it('makes PHC strings of argon2id at the default cost, with another salt each time', async () => {
    const passwords = createPasswords();
    const [one, other] = [await passwords.hash(PASSWORD), await passwords.hash(PASSWORD)];
    for (const hash of [one, other]) {
      expect(hash).to.match(DEFAULT_COST);
      expect(await passwords.verify(PASSWORD, hash)).to.equal(true);
    }
    expect(one.split('$')[4]).not.to.equal(other.split('$')[4]);
  });

  it('uses the configured cost', async () => {
    const passwords = createPasswords({ memoryCost: 19_457, timeCost: 4, parallelism: 3 });
    const hash = await passwords.hash(PASSWORD);
    expect(hash.split('$')[3]).to.equal('m=19457,t=4,p=3');
    expect(passwords.needsRehash(hash)).to.equal(false);
  });
});

describe('Passwords.verify', () => {
  it('accepts the password and no other, at one computation each', async () => {
    const passwords = createPasswords();
    const computations = stubComputations();
    expect(await passwords.verify(PASSWORD, PASSWORD_HASH)).to.equal(true);
    for (const other of ['', `${PASSWORD} `, ` ${PASSWORD}`, PASSWORD.toUpperCase(), `${PASSWORD}\0`, 'baobab']) {
      expect(await passwords.verify(other, PASSWORD_HASH), other).to.equal(false);
    }
    expect(computations).to.have.length(7);
    for (const { hash } of computations) expect(hash).to.equal(PASSWORD_HASH);
  });

  const long = 'a'.repeat(254);
  for (const [kind, password, other] of [
    ['Unicode', 'mot de passe très fort 🔑', 'mot de passe tres fort 🔑'],
    ['letters that look alike in another normal form', '\u00e9', 'e\u0301'],
    ['255 characters', `${long}b`, `${long}c`],
  ] as const) {
    it(`compares a password of ${kind} exactly`, async () => {
      const passwords = createPasswords();
      const hash = await passwords.hash(password);
      expect(await passwords.verify(password, hash)).to.equal(true);
      expect(await passwords.verify(other, hash)).to.equal(false);
    });
  }

  for (const [kind, hash] of [
    ['no hash', null],
    ['an empty hash', ''],
    ['a plain password', PASSWORD],
    ['a hash of an unknown format', '5f4dcc3b5aa765d61d8327deb882cf99'],
    ['a hash of argon2id above the highest cost', phc({ m: 262_145 })],
    ['a hash of bcrypt that was cut off', BCRYPT.slice(0, -1)],
  ] as const) {
    it(`computes one decoy for ${kind}, and returns false even if the decoy matches`, async () => {
      const passwords = createPasswords();
      const computations = stubComputations(() => true);
      expect(await passwords.verify(PASSWORD, hash)).to.equal(false);
      expect(computations).to.have.length(1);
      expect(computations[0]?.password).to.equal(PASSWORD);
      expect(computations[0]?.hash).to.match(DEFAULT_COST).and.not.equal(hash);
    });
  }
});

describe('Passwords.needsRehash', () => {
  it('is true when any member of the cost is lower', () => {
    const passwords = createPasswords();
    for (const cost of [{}, { m: 19_457 }, { t: 3 }, { p: 2 }, { m: 262_144, t: 16, p: 16 }]) {
      expect(passwords.needsRehash(phc(cost)), JSON.stringify(cost)).to.equal(false);
    }
    for (const cost of [{ m: 19_455 }, { t: 1 }, { m: 19_455, t: 16 }, { m: 262_144, t: 1 }]) {
      expect(passwords.needsRehash(phc(cost)), JSON.stringify(cost)).to.equal(true);
    }
    for (const raised of [{ memoryCost: 19_457 }, { timeCost: 3 }, { parallelism: 2 }]) {
      expect(createPasswords(raised).needsRehash(PASSWORD_HASH), JSON.stringify(raised)).to.equal(true);
    }
  });

  it('is true for any other format', () => {
    for (const hash of ['', BCRYPT, PASSWORD_HASH.replace('argon2id', 'argon2i'), phc({ m: 262_145 })]) {
      expect(createPasswords().needsRehash(hash), hash).to.equal(true);
    }
    for (const hash of ['', PASSWORD_HASH]) {
      expect(createPasswords({ algorithm: 'bcrypt' }).needsRehash(hash), hash).to.equal(true);
    }
  });

  it('depends only on the cost of bcrypt when new hashes are bcrypt', () => {
    const atCost = (cost: string, version = '2y') => BCRYPT.replace('$2y$12$', `$${version}$${cost}$`);
    const passwords = createPasswords({ algorithm: 'bcrypt' });
    for (const cost of ['12', '13', '15']) expect(passwords.needsRehash(atCost(cost)), cost).to.equal(false);
    for (const cost of ['04', '11', '16']) expect(passwords.needsRehash(atCost(cost)), cost).to.equal(true);
    for (const version of ['2a', '2b']) expect(passwords.needsRehash(atCost('12', version)), version).to.equal(false);
    const raised = createPasswords({ algorithm: 'bcrypt', bcryptCost: 13 });
    expect([raised.needsRehash(atCost('12')), raised.needsRehash(atCost('13'))]).to.deep.equal([true, false]);
  });
});
