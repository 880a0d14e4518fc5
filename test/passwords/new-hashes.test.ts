import { expect } from 'chai';
import { createPasswords } from '../../src/passwords/passwords.js';
import { defaultConcurrentHashes } from '../../src/passwords/slots.js';
import { PASSWORD } from '../helpers/accounts.js';
import { holdComputations, stubComputations } from '../helpers/computations.js';
import { PHC_OF_PASSWORD } from '../helpers/hashes.js';
import { expectTypeError } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';

describe('algorithm', () => {
  it('bcrypt makes $2y$ hashes of cost 12, as Laravel does', async () => {
    const passwords = createPasswords({ algorithm: 'bcrypt' });
    const hash = await passwords.hash(PASSWORD);
    expect(hash).to.match(/^\$2y\$12\$[./A-Za-z0-9]{53}$/);
    expect(await passwords.verify(PASSWORD, hash)).to.equal(true);
    expect(passwords.needsRehash(hash)).to.equal(false);
  });

  it('bcrypt still verifies argon2id, and upgrades from it', async () => {
    const passwords = createPasswords({ algorithm: 'bcrypt' });
    expect(await passwords.verify(PASSWORD, PHC_OF_PASSWORD)).to.equal(true);
    expect(await passwords.upgrade(PASSWORD, PHC_OF_PASSWORD)).to.match(/^\$2y\$12\$/);
  });

  it('argon2id is the default, and only hashes of bcrypt, argon2i or a lower cost are upgraded to it', async () => {
    const computations = stubComputations(() => 'a new hash');
    const passwords = createPasswords();
    for (const older of [
      '$2y$15$GhvMmNVjRW29ulnudl.LbuAnUtN/LRfe1JsBm1Xu6LE3059z5Tr8m',
      PHC_OF_PASSWORD.replace('$argon2id$', '$argon2i$'),
      PHC_OF_PASSWORD.replace('m=19456', 'm=4096'),
    ]) {
      expect(await passwords.upgrade(PASSWORD, older), older).to.equal('a new hash');
    }
    for (const { kind, algorithm, password } of computations) {
      expect([kind, algorithm, password]).to.deep.equal(['hash', 'argon2', PASSWORD]);
    }
    expect(computations).to.have.length(3);
    for (const current of [PHC_OF_PASSWORD, PHC_OF_PASSWORD.replace('t=2', 't=3'), '', 'unknown', '$2y$16$']) {
      expect(await passwords.upgrade(PASSWORD, current), current).to.equal(undefined);
    }
    expect(computations).to.have.length(3);
  });

  it('has the configured cost, for hashes and decoys alike', async () => {
    const computations = stubComputations(() => false);
    const passwords = createPasswords({ algorithm: 'bcrypt', bcryptCost: 13 });
    await passwords.verify(PASSWORD, null);
    expect(computations[0]?.hash).to.match(/^\$2y\$13\$[./A-Za-z0-9]{53}$/);
    await createPasswords({ algorithm: 'argon2id', timeCost: 3 }).verify(PASSWORD, null);
    expect(computations[1]?.hash).to.match(/^\$argon2id\$v=19\$m=19456,t=3,p=1\$/);
  });
});

describe('decoyHashes', () => {
  const BCRYPT = '$2y$10$92IXUNpkjO0rOQ5byMi.Ye4oKoEa3Ro9llC/.og/at2.uheWG/igi';
  const mix = [PHC_OF_PASSWORD, BCRYPT, PHC_OF_PASSWORD.replace('argon2id', 'argon2i')];

  it('replace a missing hash by the one that the caller chose, and match nothing', async () => {
    const passwords = createPasswords({ decoyHashes: mix });
    const computations = stubComputations(() => true);
    const choices = [0, 1, 2, 3, 4, 2 ** 32 - 1];
    for (const decoy of choices) {
      for (const hash of [null, '', 'unknown']) {
        const compared = passwords.hashToCompare(hash, decoy);
        expect(compared.isDecoy).to.equal(true);
        expect(await passwords.compare('password', compared)).to.equal(false);
      }
    }
    const expected = choices.flatMap((decoy) => [decoy, decoy, decoy].map((choice) => mix[choice % 3]));
    expect(computations.map(({ hash }) => hash)).to.deep.equal(expected);
  });

  it('match nothing even when they are real hashes of the password', async () => {
    const passwords = createPasswords({ decoyHashes: [BCRYPT, PHC_OF_PASSWORD] });
    expect(await passwords.compare('password', passwords.hashToCompare(null, 0))).to.equal(false);
    expect(await passwords.compare(PASSWORD, passwords.hashToCompare(null, 1))).to.equal(false);
  });

  it('never replace a hash that can be computed', async () => {
    const passwords = createPasswords({ decoyHashes: mix });
    const computations = stubComputations(() => false);
    const compared = passwords.hashToCompare(PHC_OF_PASSWORD.replace('t=2', 't=3'), 1);
    expect(compared.isDecoy).to.equal(false);
    await passwords.compare(PASSWORD, compared);
    expect(computations.map(({ hash }) => hash)).to.deep.equal([PHC_OF_PASSWORD.replace('t=2', 't=3')]);
  });

  it('are one by default, whatever the caller chose', async () => {
    const passwords = createPasswords();
    const computations = stubComputations(() => false);
    for (const decoy of [0, 1, 7, 2 ** 32 - 1]) {
      await passwords.compare(PASSWORD, passwords.hashToCompare(null, decoy));
    }
    await passwords.verify(PASSWORD, null);
    expect(computations).to.have.length(5);
    expect(new Set(computations.map(({ hash }) => hash)).size).to.equal(1);
  });

  it('must all be hashes that can be computed, and at least one', () => {
    for (const decoyHashes of [
      [],
      [''],
      ['a password'],
      [PHC_OF_PASSWORD, ''],
      [PHC_OF_PASSWORD, PHC_OF_PASSWORD.slice(0, -1)],
      [BCRYPT.replace('$10$', '$16$')],
      ['pbkdf2_sha256$10000$seasalt$CWWFdHOWwPnki7HvkcqN9iA2T3KLW1cf2uZ5kvArtVY='],
    ]) {
      expectTypeError(
        () => createPasswords({ decoyHashes }),
        'createPasswords: decoyHashes must hold at least one hash, each of a format that is verified.',
        PHC_OF_PASSWORD,
        BCRYPT,
      );
    }
  });

  it('are samples, so the same one may be listed twice', () => {
    createPasswords({ decoyHashes: [BCRYPT, BCRYPT, PHC_OF_PASSWORD] });
  });

  it('give their first one to verify, which chooses none', async () => {
    const passwords = createPasswords({ decoyHashes: mix });
    const computations = stubComputations(() => true);
    for (const hash of [null, 'unknown']) expect(await passwords.verify(PASSWORD, hash)).to.equal(false);
    expect(computations.map(({ hash }) => hash)).to.deep.equal([mix[0], mix[0]]);
  });
});

describe('maxConcurrentHashes', () => {
  it('is a whole number', () => {
    for (const value of [0, -1, 1.5, Number.NaN, Infinity, '2', null]) {
      expectTypeError(
        () => createPasswords({ maxConcurrentHashes: value as number }),
        'createPasswords: maxConcurrentHashes must be a whole number at least 1.',
      );
    }
  });

  for (const [name, options, running] of [
    ['7, when the option says so', { maxConcurrentHashes: 7 }, 7],
    ['half of the threads by default', {}, defaultConcurrentHashes()],
  ] as const) {
    it(`is ${name}`, async () => {
      const passwords = createPasswords(options);
      const computations = holdComputations();
      const all = Array.from({ length: running + 2 }, () => passwords.verify(PASSWORD, PHC_OF_PASSWORD));
      await settle();
      expect(computations).to.have.length(running);
      expect(passwords.load()).to.deep.equal({ running, waiting: 2 });
      for (let ended = 0; ended < running + 2; ended++) {
        await until(() => computations.length > ended);
        computations[ended]?.end(true);
      }
      await Promise.all(all);
    });
  }
});
