import { expect } from 'chai';
import { createPasswords } from '../../src/passwords/passwords.js';
import { defaultConcurrentHashes } from '../../src/passwords/passwords-options.js';
import { PASSWORD, PASSWORD_HASH } from '../helpers/accounts.js';
import { holdComputations, stubComputations } from '../helpers/computations.js';
import { expectTypeError } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';

describe('algorithm', () => {
  it('bcrypt makes $2y$ hashes of cost 12, as Laravel does, and upgrades from argon2id', async () => {
    const passwords = createPasswords({ algorithm: 'bcrypt' });
    expect(await passwords.verify(PASSWORD, PASSWORD_HASH)).to.equal(true);
    const hash = await passwords.hash(PASSWORD);
    expect(hash).to.match(/^\$2y\$12\$[./A-Za-z0-9]{53}$/);
    stubComputations(() => 'a new hash');
    expect(await passwords.upgrade(PASSWORD, PASSWORD_HASH)).to.equal('a new hash');
  });

  it('argon2id is the default, and only hashes of bcrypt, argon2i or a lower cost are upgraded to it', async () => {
    const computations = stubComputations(() => 'a new hash');
    const passwords = createPasswords();
    for (const older of [
      '$2y$15$GhvMmNVjRW29ulnudl.LbuAnUtN/LRfe1JsBm1Xu6LE3059z5Tr8m',
      PASSWORD_HASH.replace('$argon2id$', '$argon2i$'),
      PASSWORD_HASH.replace('m=19456', 'm=4096'),
    ]) {
      expect(await passwords.upgrade(PASSWORD, older), older).to.equal('a new hash');
    }
    for (const { kind, algorithm, password } of computations) {
      expect([kind, algorithm, password]).to.deep.equal(['hash', 'argon2', PASSWORD]);
    }
    for (const current of [PASSWORD_HASH, PASSWORD_HASH.replace('t=2', 't=3'), '', 'unknown', '$2y$16$']) {
      expect(await passwords.upgrade(PASSWORD, current), current).to.equal(undefined);
    }
    expect(computations).to.have.length(3);
  });
});

describe('decoyHashes', () => {
  const BCRYPT = '$2y$10$92IXUNpkjO0rOQ5byMi.Ye4oKoEa3Ro9llC/.og/at2.uheWG/igi';
  const mix = [PASSWORD_HASH, BCRYPT, PASSWORD_HASH.replace('argon2id', 'argon2i')];

  it('replace a missing hash by the one that the caller chose, or the first, and match nothing', async () => {
    const passwords = createPasswords({ decoyHashes: mix });
    const computations = stubComputations(() => true);
    const choices = [0, 1, 2, 3, 4, 2 ** 32 - 1];
    for (const decoy of choices) {
      const compared = passwords.hashToCompare(decoy % 2 === 0 ? null : 'unknown', decoy);
      expect(compared.isDecoy).to.equal(true);
      expect(await passwords.compare('password', compared)).to.equal(false);
    }
    expect(await passwords.verify('password', null)).to.equal(false);
    expect(computations.map(({ hash }) => hash)).to.deep.equal([...choices, 0].map((choice) => mix[choice % 3]));
  });

  it('never replace a hash that can be computed', () => {
    const hash = PASSWORD_HASH.replace('t=2', 't=3');
    expect(createPasswords({ decoyHashes: mix }).hashToCompare(hash, 1)).to.include({ hash, isDecoy: false });
  });

  it('are by default one hash at the cost of new hashes, whatever the caller chose', async () => {
    const computations = stubComputations(() => false);
    const passwords = createPasswords({ algorithm: 'bcrypt', bcryptCost: 13 });
    for (const decoy of [0, 1, 2 ** 32 - 1]) await passwords.compare(PASSWORD, passwords.hashToCompare(null, decoy));
    const [first, ...others] = computations.splice(0).map(({ hash }) => hash);
    expect(first).to.match(/^\$2y\$13\$[./A-Za-z0-9]{53}$/);
    expect(others).to.deep.equal([first, first]);
    await createPasswords({ memoryCost: 20_000, timeCost: 3, parallelism: 2 }).verify(PASSWORD, null);
    expect(computations[0]?.hash).to.match(/^\$argon2id\$v=19\$m=20000,t=3,p=2\$/);
  });

  it('must all be hashes that can be computed, and at least one', () => {
    const lists = [[], [''], [PASSWORD_HASH, 'a password'], [BCRYPT.replace('$10$', '$16$')]];
    for (const decoyHashes of [...lists, PASSWORD_HASH, [1], null, {}]) {
      expectTypeError(
        () => createPasswords({ decoyHashes: decoyHashes as never }),
        'createPasswords: decoyHashes must be a list of at least one stored hash, each of a format that is verified.',
        PASSWORD_HASH,
        BCRYPT,
      );
    }
  });
});

describe('maxConcurrentHashes', () => {
  for (const [name, options, running] of [
    ['7, when the option says so', { maxConcurrentHashes: 7 }, 7],
    ['half of the threads by default', {}, defaultConcurrentHashes()],
  ] as const) {
    it(`is ${name}`, async () => {
      const passwords = createPasswords(options);
      const computations = holdComputations();
      for (let each = 0; each < running + 2; each++) void passwords.verify(PASSWORD, PASSWORD_HASH);
      await settle();
      expect(computations).to.have.length(running);
    });
  }
});
