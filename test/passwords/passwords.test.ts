import { expect } from 'chai';
import { costOfArgon2, DEFAULT_ARGON2_COST } from '../../src/passwords/argon2.js';
import { createPasswords } from '../../src/passwords/passwords.js';
import { PASSWORD } from '../helpers/accounts.js';
import { stubComputations } from '../helpers/computations.js';
import { LOW_COST_HASH, phc, PHC_OF_PASSWORD } from '../helpers/hashes.js';

const BCRYPT = '$2y$12$GhvMmNVjRW29ulnudl.LbuAnUtN/LRfe1JsBm1Xu6LE3059z5Tr8m';

/** Hashes that nothing can match, by what is wrong with them. */
const unusable: Readonly<Record<string, readonly (string | null)[]>> = {
  'no hash': [null],
  'an empty hash': ['', ' ', '$'],
  'a hash of another format': [
    BCRYPT.replace('$2y$', '$2x$'),
    BCRYPT.replace('$2y$', '$2$'),
    PHC_OF_PASSWORD.replace('argon2id', 'argon2d'),
    PHC_OF_PASSWORD.replace('argon2id', 'argon2i').replace('v=19', 'v=16'),
    '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
    PHC_OF_PASSWORD.replace('v=19', 'v=16'),
    '5f4dcc3b5aa765d61d8327deb882cf99',
    PASSWORD,
    'null',
  ],
  'a hash above the highest cost': [
    phc({ m: 262_145 }),
    phc({ m: 4_194_304 }),
    phc({ t: 17 }),
    phc({ p: 17 }),
    phc({ m: 9_999_999, t: 999, p: 999 }),
    phc({ m: 262_145 }).replace('argon2id', 'argon2i'),
    ...['16', '20', '31', '32', '99'].map((cost) => BCRYPT.replace('$12$', `$${cost}$`)),
  ],
  'a hash that is damaged': [
    `${PHC_OF_PASSWORD} `,
    `${PHC_OF_PASSWORD}\n`,
    ` ${PHC_OF_PASSWORD}`,
    PHC_OF_PASSWORD.repeat(2),
    PHC_OF_PASSWORD.toLowerCase().replace('$argon2id', '$Argon2id'),
    phc({ m: 7 }),
    phc({ t: 0 }),
    BCRYPT.slice(0, -1),
    BCRYPT.slice(0, 29),
    `${BCRYPT}\n`,
    `${BCRYPT}A`,
    ` ${BCRYPT}`,
    BCRYPT.replace('$12$', '$3$'),
    BCRYPT.replace('$12$', '$03$'),
    BCRYPT.replace('/LRfe', '+LRfe'),
    '$2y$',
  ],
  'a hash whose salt or numbers nobody writes': [
    phc({ salt: 'A'.repeat(13) }),
    phc({ salt: 'dLCcEdRBT6OqEUPAem0dLh' }),
    phc({ m: '019456' }),
    phc({ t: '02' }),
  ],
};

describe('Passwords.hash', () => {
  it('makes a PHC string of argon2id at the default cost (ASVS 11.4.2)', async () => {
    const hash = await createPasswords().hash(PASSWORD);
    expect(hash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  });

  it('makes a different hash each time', async () => {
    const passwords = createPasswords();
    const hashes = await Promise.all([PASSWORD, PASSWORD, PASSWORD].map((password) => passwords.hash(password)));
    expect(new Set(hashes.map((hash) => hash.split('$')[4])).size).to.equal(3);
    for (const hash of hashes) expect(await passwords.verify(PASSWORD, hash)).to.equal(true);
  });

  it('uses the configured cost', async () => {
    for (const [options, cost] of [
      [{ memoryCost: 20_000 }, 'm=20000,t=2,p=1'],
      [{ timeCost: 3 }, 'm=19456,t=3,p=1'],
      [{ parallelism: 2 }, 'm=19456,t=2,p=2'],
      [{ memoryCost: 19_457, timeCost: 4, parallelism: 3 }, 'm=19457,t=4,p=3'],
    ] as const) {
      const passwords = createPasswords(options);
      const hash = await passwords.hash(PASSWORD);
      expect(hash.split('$')[3]).to.equal(cost);
      expect(await passwords.verify(PASSWORD, hash)).to.equal(true);
    }
  });
});

describe('Passwords.verify', () => {
  it('accepts the password and no other', async () => {
    const passwords = createPasswords();
    expect(await passwords.verify(PASSWORD, PHC_OF_PASSWORD)).to.equal(true);
    for (const other of ['', ' ', `${PASSWORD} `, ` ${PASSWORD}`, PASSWORD.toUpperCase(), `${PASSWORD}\0`, 'baobab']) {
      expect(await passwords.verify(other, PHC_OF_PASSWORD), other).to.equal(false);
    }
  });

  it('verifies hashes of any cost up to the highest, whatever the configured cost', async () => {
    const passwords = createPasswords({ timeCost: 3 });
    const computations = stubComputations();
    expect(await passwords.verify(PASSWORD, LOW_COST_HASH)).to.equal(true);
    expect(await passwords.verify('another', LOW_COST_HASH)).to.equal(false);
    expect(await passwords.verify(PASSWORD, PHC_OF_PASSWORD)).to.equal(true);
    expect(computations.map(({ hash }) => hash)).to.deep.equal([LOW_COST_HASH, LOW_COST_HASH, PHC_OF_PASSWORD]);
  });

  const long = 'a'.repeat(100_000);
  const pairs = [
    ['Unicode', 'mot de passe très fort 🔑', 'mot de passe tres fort 🔑'],
    ['letters that look alike in another normal form', '\u00e9', 'e\u0301'],
    ['NUL', 'ba\0obab', 'ba'],
    ['NUL alone', '\0', ''],
    ['100,000 characters', `${long}b`, `${long}c`],
    ['more than the 72 bytes of bcrypt', 'é'.repeat(36) + 'a', 'é'.repeat(36) + 'b'],
    ['spaces at the ends', ' baobab ', 'baobab'],
  ] as const;
  for (const [kind, password, other] of pairs) {
    it(`compares a password of ${kind} exactly`, async () => {
      const passwords = createPasswords();
      const hash = await passwords.hash(password);
      expect(await passwords.verify(password, hash)).to.equal(true);
      expect(await passwords.verify(other, hash)).to.equal(false);
    });
  }

  for (const [kind, hashes] of Object.entries(unusable)) {
    it(`computes one decoy for ${kind}, and returns false even if the decoy matches`, async () => {
      const passwords = createPasswords();
      for (const hash of hashes) {
        const computations = stubComputations(() => true);
        expect(await passwords.verify(PASSWORD, hash), String(hash)).to.equal(false);
        expect(computations.length).to.equal(1);
        expect(computations[0]?.password).to.equal(PASSWORD);
        expect(computations[0]?.hash).not.to.equal(hash);
        expect(costOfArgon2('id', computations[0]?.hash ?? '')).to.deep.equal(DEFAULT_ARGON2_COST);
      }
    });
  }

  it('never matches a truncated hash, wherever it was cut, at one computation each', async () => {
    const passwords = createPasswords();
    const cuts = Array.from(PHC_OF_PASSWORD, (_, length) => PHC_OF_PASSWORD.slice(0, length));
    // After 24 bytes of output, the cut hash is a valid hash of that length, so it is computed.
    const computable = cuts.filter((cut) => costOfArgon2('id', cut) !== undefined);
    expect(computable).to.deep.equal([PHC_OF_PASSWORD.slice(0, -11)]);
    for (const cut of cuts) {
      const computations = stubComputations(computable.includes(cut) ? undefined : () => true);
      expect(await passwords.verify(PASSWORD, cut), cut).to.equal(false);
      expect(computations.length).to.equal(1);
      expect(computations[0]?.hash?.split('$')[3]).to.equal('m=19456,t=2,p=1');
    }
  });

  it('has a decoy that no password matches', async () => {
    const passwords = createPasswords();
    for (const password of ['', '\0', PASSWORD, 'null', 'undefined', 'password']) {
      expect(await passwords.verify(password, null), password).to.equal(false);
    }
  });

  it('has a decoy of the configured cost, the same for every comparison', async () => {
    const passwords = createPasswords({ memoryCost: 20_000, timeCost: 3, parallelism: 2 });
    const computations = stubComputations(() => false);
    for (const hash of [null, '', BCRYPT.slice(1)]) await passwords.verify(PASSWORD, hash);
    expect(costOfArgon2('id', computations[0]?.hash ?? '')).to.deep.equal({
      memoryCost: 20_000,
      timeCost: 3,
      parallelism: 2,
    });
    expect(new Set(computations.map(({ hash }) => hash)).size).to.equal(1);
    await createPasswords().verify(PASSWORD, null);
    expect(computations.at(-1)?.hash).not.to.equal(computations[0]?.hash);
  });

  it('costs the same one computation when the hash is good', async () => {
    const passwords = createPasswords();
    const computations = stubComputations();
    expect(await passwords.verify(PASSWORD, PHC_OF_PASSWORD)).to.equal(true);
    expect(await passwords.verify('another', PHC_OF_PASSWORD)).to.equal(false);
    expect(computations.map(({ hash, password }) => [hash, password])).to.deep.equal([
      [PHC_OF_PASSWORD, PASSWORD],
      [PHC_OF_PASSWORD, 'another'],
    ]);
  });
});

describe('Passwords.hashToCompare', () => {
  it('is the stored hash when it is complete and of a known format, and a decoy for every unusable one', () => {
    const passwords = createPasswords();
    for (const hash of Object.values(unusable).flat()) {
      const compared = passwords.hashToCompare(hash, 0);
      expect(compared.isDecoy, String(hash)).to.equal(true);
      expect(compared.hash).not.to.equal(hash);
    }
    for (const hash of [PHC_OF_PASSWORD, LOW_COST_HASH, BCRYPT]) {
      expect(passwords.hashToCompare(hash, 0)).to.include({ hash, isDecoy: false });
    }
  });

  it("is a stored hash of a host's format, only with that format configured", () => {
    const hash = '5f4dcc3b5aa765d61d8327deb882cf99';
    const md5 = { name: 'md5', identify: (text: string) => text === hash, verify: () => Promise.resolve(true) };
    expect(createPasswords({ formats: [md5] }).hashToCompare(hash, 0)).to.include({ hash, isDecoy: false });
    expect(createPasswords().hashToCompare(hash, 0).isDecoy).to.equal(true);
  });
});

describe('Passwords.needsRehash', () => {
  it('is false for a hash at the configured cost or above', () => {
    const passwords = createPasswords();
    for (const cost of [{}, { m: 19_457 }, { t: 3 }, { p: 2 }, { m: 262_144, t: 16, p: 16 }]) {
      expect(passwords.needsRehash(phc(cost)), JSON.stringify(cost)).to.equal(false);
    }
  });

  it('is true when any member of the cost is lower', () => {
    for (const cost of [{ m: 19_455 }, { t: 1 }, { m: 19_455, t: 16 }, { m: 262_144, t: 1 }]) {
      expect(createPasswords().needsRehash(phc(cost)), JSON.stringify(cost)).to.equal(true);
    }
    expect(createPasswords().needsRehash(LOW_COST_HASH)).to.equal(true);
    for (const raised of [{ memoryCost: 19_457 }, { timeCost: 3 }, { parallelism: 2 }]) {
      expect(createPasswords(raised).needsRehash(PHC_OF_PASSWORD), JSON.stringify(raised)).to.equal(true);
    }
  });

  it('is true for any other format', () => {
    for (const hash of ['', BCRYPT, PHC_OF_PASSWORD.replace('argon2id', 'argon2i'), phc({ m: 262_145 })]) {
      expect(createPasswords().needsRehash(hash), hash).to.equal(true);
    }
    for (const hash of ['', PHC_OF_PASSWORD, PHC_OF_PASSWORD.replace('argon2id', 'argon2i')]) {
      expect(createPasswords({ algorithm: 'bcrypt' }).needsRehash(hash), hash).to.equal(true);
    }
  });

  it('depends only on the cost of bcrypt when new hashes are bcrypt', () => {
    const atCost = (cost: string, version = '2y') => BCRYPT.replace('$2y$12$', `$${version}$${cost}$`);
    const passwords = createPasswords({ algorithm: 'bcrypt' });
    for (const cost of ['12', '13', '15']) expect(passwords.needsRehash(atCost(cost)), cost).to.equal(false);
    for (const cost of ['04', '09', '10', '11', '16']) expect(passwords.needsRehash(atCost(cost)), cost).to.equal(true);
    for (const version of ['2a', '2b']) expect(passwords.needsRehash(atCost('12', version)), version).to.equal(false);
    const raised = createPasswords({ algorithm: 'bcrypt', bcryptCost: 13 });
    expect([raised.needsRehash(atCost('12')), raised.needsRehash(atCost('13'))]).to.deep.equal([true, false]);
  });

  it('is false for the result of hash', async () => {
    const passwords = createPasswords({ timeCost: 3 });
    expect(passwords.needsRehash(await passwords.hash(PASSWORD))).to.equal(false);
  });

  it('computes nothing', () => {
    const computations = stubComputations(() => true);
    for (const hash of [PHC_OF_PASSWORD, BCRYPT, '']) createPasswords().needsRehash(hash);
    expect(computations).to.deep.equal([]);
  });
});
