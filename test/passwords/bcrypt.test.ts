import library from '@node-rs/bcrypt';
import { expect } from 'chai';
import {
  bcrypt,
  costOfBcrypt,
  decoyBcrypt,
  DEFAULT_BCRYPT_COST,
  hashBcrypt,
  MAX_BCRYPT_COST,
} from '../../src/passwords/bcrypt.js';
import { createPasswords } from '../../src/passwords/passwords.js';
import { stubComputations } from '../helpers/computations.js';
import { rejectionOf } from '../helpers/thrown.js';

/** Hashes of other implementations: from the tests of crypt_blowfish and py-bcrypt, and from Laravel (PHP). */
const MADE_ELSEWHERE = [
  ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['U*U*U', '$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
  ['Kk4DQuMMfZL9o', '$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm'],
  ['password', '$2y$10$92IXUNpkjO0rOQ5byMi.Ye4oKoEa3Ro9llC/.og/at2.uheWG/igi'],
] as const;

/** Another vector of crypt_blowfish: a password of 72 bytes, which any text may follow. */
const SEVENTY_TWO = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const HASH_OF_72 = '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui';

describe('bcrypt', () => {
  for (const [password, hash] of MADE_ELSEWHERE) {
    it(`compares with a ${hash.slice(0, 4)} hash that another implementation made of ${password}`, async () => {
      expect(bcrypt.identify(hash)).to.equal(true);
      expect(await createPasswords().verify(password, hash)).to.equal(true);
      expect(await createPasswords().verify(password.toLowerCase() + '*', hash)).to.equal(false);
    });
  }

  it('has a cost of 12 by default, and computes none above 15', () => {
    expect([DEFAULT_BCRYPT_COST, MAX_BCRYPT_COST]).to.deep.equal([12, 15]);
    const [, hash] = MADE_ELSEWHERE[0];
    for (let cost = 0; cost <= 99; cost++) {
      const text = hash.replace('$05$', `$${String(cost).padStart(2, '0')}$`);
      expect(costOfBcrypt(text), text).to.equal(cost >= 4 && cost <= 31 ? cost : undefined);
      expect(bcrypt.isComputable(text), text).to.equal(cost >= 4 && cost <= 15);
    }
  });

  it('computes only complete hashes', () => {
    const [, hash] = MADE_ELSEWHERE[0];
    const cuts = Array.from(hash, (_, length) => hash.slice(0, length));
    const spelled = [`${hash}.`, `${hash}\n`, ` ${hash}`, hash.replace('$05$', '$5$'), hash.replace('E5Y', 'E=Y')];
    for (const text of [...cuts, ...spelled]) {
      expect(costOfBcrypt(text), text).to.equal(undefined);
      expect(bcrypt.isComputable(text), text).to.equal(false);
    }
  });

  it('computes no hash that the library would refuse without a computation', async () => {
    const [password, hash] = MADE_ELSEWHERE[0];
    for (const letter of './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789') {
      const salt = `${hash.slice(0, 28)}${letter}${hash.slice(29)}`;
      const output = `${hash.slice(0, -1)}${letter}`;
      expect(bcrypt.isComputable(salt), salt).to.equal('.Oeu'.includes(letter));
      expect(bcrypt.isComputable(output), output).to.equal('.CGKOSWaeimquy26'.includes(letter));
      // All other hashes are in the canonical base64 of bcrypt.
      if (!bcrypt.isComputable(salt)) continue;
      const made = await library.hash(password, 4, bytesOf(salt.slice(7, 29)));
      expect(made.slice(7, 29)).to.equal(salt.slice(7, 29));
    }
  });

  it('identifies three versions, and not those whose computation differs', () => {
    for (const version of ['$2a$', '$2b$', '$2y$']) expect(bcrypt.identify(`${version}12$`)).to.equal(true);
    for (const version of ['$2$', '$2x$', '$2c$', '2y$', '$2y', '$2Y$']) {
      expect(bcrypt.identify(`${version}12$`), version).to.equal(false);
    }
  });
});

describe('a password that bcrypt reads a part of', () => {
  it('matches as it did in the system that made the hash, by its first 72 bytes', async () => {
    const passwords = createPasswords();
    for (const rest of ['', 'chars after 72 are ignored', 'é']) {
      expect(await passwords.verify(SEVENTY_TWO + rest, HASH_OF_72), rest).to.equal(true);
    }
    expect(await passwords.verify(SEVENTY_TWO.slice(0, -1), HASH_OF_72)).to.equal(false);
  });

  it('never leads to an upgrade, because the rest was not compared', async () => {
    const computations = stubComputations(() => 'a new hash');
    const passwords = createPasswords();
    for (const rest of ['x', 'é', 'chars after 72 are ignored', '\0']) {
      expect(await passwords.upgrade(SEVENTY_TWO + rest, HASH_OF_72), rest).to.equal(undefined);
    }
    expect(computations).to.deep.equal([]);
    expect(await passwords.upgrade(SEVENTY_TWO, HASH_OF_72)).to.equal('a new hash');
  });

  it('is never hashed anew with bcrypt, not even by an upgrade', async () => {
    const computations = stubComputations(() => 'a new hash');
    const passwords = createPasswords({ algorithm: 'bcrypt' });
    const argon2 = '$argon2id$v=19$m=8,t=1,p=1$rGsMO9huI+GeQ3AYz8zZ1Q$+/wNy6FQjfrdG3foIwl0JuPKFtG6Bwd6rw8VUY5df3I';
    for (const password of [`${SEVENTY_TWO}x`, `${'é'.repeat(36)}x`, '🔑'.repeat(19), 'baobab\0', '\0']) {
      const error = await rejectionOf(passwords.hash(password));
      expect(error).to.be.instanceOf(RangeError);
      expect((error as RangeError).message).to.match(
        password.includes('\0')
          ? /^login\.attempt refuses this password: /
          : /^bcrypt reads 72 bytes of UTF-8 and stops at NUL: /,
      );
      expect(await passwords.upgrade(password, argon2)).to.equal(undefined);
      expect(await passwords.upgrade(password, HASH_OF_72)).to.equal(undefined);
    }
    expect(computations).to.deep.equal([]);
    for (const password of [SEVENTY_TWO, 'é'.repeat(36), '🔑'.repeat(18)]) {
      expect(await passwords.hash(password)).to.equal('a new hash');
      expect(await passwords.upgrade(password, argon2)).to.equal('a new hash');
    }
  });

  it('never matches with NUL in it, at the cost of one computation', async () => {
    const passwords = createPasswords();
    const [password, hash] = MADE_ELSEWHERE[0];
    const computations = stubComputations();
    // bcrypt repeats password and NUL until 72 bytes are full, so that this is the same key.
    const sameKey = `${password}\0${password}`;
    for (const given of [sameKey, `${password}\0`, `\0${password}`]) {
      expect(await passwords.verify(given, hash), JSON.stringify(given)).to.equal(false);
    }
    expect(computations.map((computation) => computation.hash)).to.deep.equal([hash, hash, hash]);
    expect(await passwords.upgrade(sameKey, hash)).to.equal(undefined);
    expect(computations).to.have.length(3);
  });
});

describe('hashBcrypt', () => {
  it('makes a complete $2y$ hash at the given cost, with another salt each time', async () => {
    const [one, other] = await Promise.all([hashBcrypt('baobab-2026', 4), hashBcrypt('baobab-2026', 4)]);
    expect(one).to.match(/^\$2y\$04\$[./A-Za-z0-9]{53}$/);
    expect(one.slice(7, 29)).not.to.equal(other.slice(7, 29));
    expect(await library.verify('baobab-2026', one)).to.equal(true);
  });
});

/** The bytes of a salt in bcrypt's own base64. */
function bytesOf(salt: string): Buffer {
  const own = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const standard = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return Buffer.from(
    salt.replace(/./g, (letter) => standard[own.indexOf(letter)] ?? ''),
    'base64',
  );
}

describe('decoyBcrypt', () => {
  it('looks like a hash of its cost, so that it is computed, and differs each time', async () => {
    const decoys = Array.from({ length: 50 }, () => decoyBcrypt(4));
    for (const decoy of decoys) expect(costOfBcrypt(decoy), decoy).to.equal(4);
    expect(new Set(decoys.map((decoy) => decoy.slice(7, 29))).size).to.equal(50);
    for (const decoy of decoys.slice(0, 5)) {
      // A real hash with the same salt differs only in the output.
      const made = await library.hash('baobab-2026', 4, bytesOf(decoy.slice(7, 29)));
      expect(made.slice(4, 29)).to.equal(decoy.slice(4, 29));
      expect(made).to.have.length(decoy.length);
      expect(await bcrypt.verify('baobab-2026', decoy)).to.equal(false);
    }
  });
});
