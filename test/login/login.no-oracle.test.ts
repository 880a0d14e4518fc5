import { expect } from 'chai';
import { AWA, WRONG } from '../helpers/accounts.js';
import { expectWrongCredentials } from '../helpers/answers.js';
import { type Computation, stubComputations } from '../helpers/computations.js';
import { phc } from '../helpers/hashes.js';
import type { Client } from '../helpers/http.js';
import { logIn, serveLogin } from '../helpers/login-host.js';
import { collectWarnings } from '../helpers/warnings.js';
import { createPasswords, type PasswordsOptions, type UserStore } from '../../src/index.js';

const BCRYPT = '$2y$10$92IXUNpkjO0rOQ5byMi.Ye4oKoEa3Ro9llC/.og/at2.uheWG/igi';
const ARGON2I = phc({ m: 65_536 }).replace('argon2id', 'argon2i');
const MIX = [BCRYPT, BCRYPT, BCRYPT, ARGON2I];
const DIGEST_KEY = 'a digestKey of 32 bytes, or more';

describe('a login that fails', () => {
  beforeEach(() => void collectWarnings());

  async function serveStore(store: UserStore, hashing: PasswordsOptions = {}, digestKey?: string) {
    const passwords = createPasswords(hashing);
    const host = await serveLogin({ store, passwords, throttle: false, ...(digestKey && { digestKey }) });
    return host.client;
  }

  function storeWith(hashes: Readonly<Record<string, string | null>>): UserStore {
    return {
      findById: () => Promise.resolve(null),
      findCredentials: (email) => {
        const passwordHash = hashes[email];
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

  it('is compared with all decoys of the mix, the same in all processes with one digestKey', async () => {
    const seen: unknown[][] = [];
    for (const digestKey of [DIGEST_KEY, DIGEST_KEY, `${DIGEST_KEY}.`]) {
      const client = await serveStore(storeWith({}), { decoyHashes: MIX }, digestKey);
      const computations = stubComputations(() => false);
      const decoys = [];
      for (let i = 0; i < 30; i++) decoys.push(await comparedWith(client, computations, `nobody-${i}@a.example`));
      seen.push(decoys);
    }
    expect(seen[1]).to.deep.equal(seen[0]);
    expect(seen[2]).not.to.deep.equal(seen[0]);
    expect(new Set(seen[0])).to.deep.equal(new Set([BCRYPT, ARGON2I]));
  });
});
