import { expect } from 'chai';
import { AWA, FERMEE, KOFI, PASSWORD, withPassword, WRONG } from '../helpers/accounts.js';
import { expectAccountDisabled, expectWrongCredentials } from '../helpers/answers.js';
import { type Computation, stubComputations } from '../helpers/computations.js';
import { django } from '../helpers/django-format.js';
import { PHC_OF_PASSWORD, phc } from '../helpers/hashes.js';
import type { Client } from '../helpers/http.js';
import { logIn, serveLogin } from '../helpers/login-host.js';
import { collectWarnings } from '../helpers/warnings.js';
import { brokenFormats } from '../helpers/broken-formats.js';
import { createPasswords, InMemoryUserStore, type PasswordsOptions, type UserStore } from '../../src/index.js';

const BCRYPT = '$2y$10$92IXUNpkjO0rOQ5byMi.Ye4oKoEa3Ro9llC/.og/at2.uheWG/igi';
const ARGON2I = phc({ m: 65_536 }).replace('argon2id', 'argon2i');
const MIX = [BCRYPT, BCRYPT, BCRYPT, ARGON2I];
const DIGEST_KEY = 'a digestKey of 32 bytes, or more';

describe('a login that fails', () => {
  beforeEach(() => void collectWarnings());

  async function serveStore(store: UserStore, hashing: PasswordsOptions = {}, digestKey?: string | Uint8Array) {
    const passwords = createPasswords(hashing);
    const host = await serveLogin({ store, passwords, throttle: false, ...(digestKey && { digestKey }) });
    return host.client;
  }

  /** A store that ignores the letter case of an email, as most databases do. */
  function storeWith(hashes: Readonly<Record<string, string | null>>): UserStore {
    return {
      findById: () => Promise.resolve(null),
      findCredentials: (email) => {
        const passwordHash = hashes[email.toLowerCase()];
        return Promise.resolve(passwordHash === undefined ? null : { account: { ...AWA, email }, passwordHash });
      },
    };
  }

  /** Returns the hash that a login with `email` and a wrong password is compared with. */
  async function comparedWith(client: Client, computations: readonly Computation[], email: string) {
    const before = computations.length;
    expectWrongCredentials(await logIn(client, email, WRONG));
    expect(computations.slice(before), email).to.have.length(1);
    expect(computations[before]?.kind).to.equal('verify');
    return computations[before]?.hash;
  }

  const unusable = {
    'of no password': null,
    'that is empty': '',
    'that was cut off': PHC_OF_PASSWORD.slice(0, -1),
    'of bcrypt that was cut off': BCRYPT.slice(0, 59),
    'of an unknown format': '5f4dcc3b5aa765d61d8327deb882cf99',
    'of argon2id above the highest cost': phc({ m: 4_194_304 }),
    'of bcrypt above the highest cost': BCRYPT.replace('$10$', '$16$'),
    'with spare bits that bcrypt refuses': `${BCRYPT.slice(0, -1)}j`,
    'of a format of the host above its highest cost':
      'pbkdf2_sha256$9000000$seasalt$CWWFdHOWwPnki7HvkcqN9iA2T3KLW1cf2uZ5kvArtVY=',
  };

  it('costs one computation with a wrong password, an unknown email and a disabled account alike (ASVS 6.3.8)', async () => {
    const store = new InMemoryUserStore([AWA, KOFI, FERMEE].map(withPassword));
    const client = await serveStore(store);
    const computations = stubComputations(({ password }) => password === PASSWORD);
    expect(await comparedWith(client, computations, AWA.email)).to.equal(PHC_OF_PASSWORD);
    expect(await comparedWith(client, computations, FERMEE.email)).to.equal(PHC_OF_PASSWORD);
    const decoy = await comparedWith(client, computations, 'nobody@boutique.example');
    expect(decoy)
      .to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      .and.not.equal(PHC_OF_PASSWORD);
    expectAccountDisabled(await logIn(client, FERMEE.email, PASSWORD));
    expectWrongCredentials(await logIn(client, 'nobody@boutique.example', PASSWORD));
    expect(computations).to.have.length(5);
  });

  for (const [what, hash] of Object.entries(unusable)) {
    it(`costs one computation with a decoy of the mix for a hash ${what}, even if the decoy matches`, async () => {
      const client = await serveStore(storeWith({ [AWA.email]: hash }), { decoyHashes: MIX, formats: [django] });
      const computations = stubComputations(() => true);
      expectWrongCredentials(await logIn(client, AWA.email, PASSWORD));
      expect(computations).to.have.length(1);
      expect(computations[0]?.password).to.equal(PASSWORD);
      expect(MIX).to.include(computations[0]?.hash);
    });
  }

  it('is compared with the same decoy for all spellings of an email', async () => {
    const client = await serveStore(storeWith({}), { decoyHashes: MIX });
    const computations = stubComputations(() => false);
    // If spellings chose the decoy, at least one of these would have another decoy.
    for (const name of ['awa', 'kofi', 'adjoua', 'yao', 'aya', 'koffi', 'amara', 'binta']) {
      const spellings = [name, name.toUpperCase(), `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`];
      const decoys = [];
      for (const spelling of [...spellings, `${name}\u0301`]) {
        decoys.push(await comparedWith(client, computations, `${spelling}@boutique.example`));
      }
      expect(new Set(decoys).size, name).to.equal(1);
      expect(MIX).to.include(decoys[0]);
    }
  });

  it('is compared with the same decoy before an account exists and after it lost its password', async () => {
    const decoys = [];
    for (const hashes of [{}, { [AWA.email]: null }, { [AWA.email]: 'unusable' }]) {
      const client = await serveStore(storeWith(hashes), { decoyHashes: MIX });
      decoys.push(
        await comparedWith(
          client,
          stubComputations(() => false),
          AWA.email,
        ),
      );
    }
    expect(new Set(decoys).size).to.equal(1);
  });

  it('is compared with decoys in the proportion of the mix, the same in all processes with one digestKey', async () => {
    const emails = Array.from({ length: 100 }, (_, i) => `nobody-${i}@boutique.example`);
    const seen: (string | undefined)[][] = [];
    for (const digestKey of [DIGEST_KEY, Buffer.from(DIGEST_KEY), 'another digestKey of 32 bytes, or more']) {
      const client = await serveStore(storeWith({}), { decoyHashes: MIX }, digestKey);
      const computations = stubComputations(() => false);
      const decoys = [];
      for (const email of emails) decoys.push(await comparedWith(client, computations, email));
      seen.push(decoys);
    }
    const [one, sameProcessElsewhere, otherKey] = seen;
    expect(one).to.deep.equal(sameProcessElsewhere);
    expect(one).not.to.deep.equal(otherKey);
    for (const decoys of seen) {
      expect(new Set(decoys)).to.deep.equal(new Set([BCRYPT, ARGON2I]));
      expect(decoys.filter((decoy) => decoy === ARGON2I).length).to.be.within(15, 35);
    }
  });

  it('derives the digestKey from JWT_SECRET when none is given', async () => {
    const seen: unknown[][] = [];
    while (seen.length < 2) {
      const client = await serveStore(storeWith({}), { decoyHashes: MIX });
      const computations = stubComputations(() => false);
      const decoys = [];
      for (let i = 0; i < 20; i++) decoys.push(await comparedWith(client, computations, `nobody-${i}@a.example`));
      seen.push(decoys);
    }
    expect(seen[0]).to.deep.equal(seen[1]);
  });

  it('ends in next(error) when a format of the host throws, and the next login has its slot', async () => {
    const reason = new Error('a mistake in the format');
    for (const broken of brokenFormats(reason)) {
      const passwords = createPasswords({ formats: [broken], maxConcurrentHashes: 1 });
      const store = storeWith({ 'odd@a.example': 'odd', [AWA.email]: PHC_OF_PASSWORD });
      const host = await serveLogin({ store, passwords, throttle: false, maxPendingLogins: 1 });
      expect((await host.logIn('odd@a.example')).status).to.equal(500);
      expect(host.hostErrors).to.deep.equal([reason]);
      expect((await host.logIn()).status).to.equal(200);
    }
  });
});
