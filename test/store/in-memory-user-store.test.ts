import { mock } from 'node:test';
import argon2 from '@node-rs/argon2';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { argon2id } from '../../src/passwords/argon2.js';
import { InMemoryUserStore } from '../../src/store/in-memory-user-store.js';
import type { MerchantAccount } from '../../src/store/user-store.js';
import { AWA, FERMEE, KOFI, PASSWORD } from '../helpers/accounts.js';
import { expectTypeError } from '../helpers/thrown.js';

const HASH = 'a hash of whatever format';

function withHash(account: MerchantAccount, passwordHash = HASH) {
  return { ...account, passwordHash };
}

// userStoreContract checks this store too: lookups, exact comparison, unique emails, copies and replacePasswordHash.
describe('InMemoryUserStore', () => {
  it('hashes a password at the default cost, with another salt each time', async () => {
    const store = new InMemoryUserStore([AWA, KOFI].map((account) => ({ ...account, password: PASSWORD })));
    const found = await Promise.all([AWA, KOFI].map(({ email }) => store.findCredentials(email)));
    const [one = '', other] = found.map((credentials) => credentials?.passwordHash ?? undefined);
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await argon2id.verify(PASSWORD, one)).to.equal(true);
    expect(other).not.to.equal(one);
  });

  it('neither keeps nor returns the password, and does not print the hash', async () => {
    const store = new InMemoryUserStore([{ ...AWA, password: 'tamarinier-2026' }]);
    const found = await store.findById(AWA.id);
    const credentials = await store.findCredentials(AWA.email);
    const seen = inspect([store, found, credentials], { showHidden: true, depth: Infinity, getters: true });
    expect(seen).not.to.contain('tamarinier-2026');
    expect(found).not.to.have.any.keys('password', 'passwordHash');
    expect(inspect(store, { showHidden: true, depth: Infinity })).not.to.contain('argon2id');
  });

  it('copies the given accounts, with further members, and tokensValidAfter as it was given', async () => {
    for (const further of [{ tokensValidAfter: null }, { tokensValidAfter: new Date(1_000) }, { level: 3 }, {}]) {
      const account = { ...AWA, ...further, marchand: { ...AWA.marchand }, passwordHash: HASH };
      const expected = structuredClone({ ...AWA, ...further });
      const store = new InMemoryUserStore([account]);
      Object.assign(account, { email: 'changed@boutique.example', disabled: true, passwordHash: 'changed' });
      account.marchand.referencl = 'CNT-1002';
      (account as MerchantAccount).tokensValidAfter?.setTime(0);
      expect(await store.findById(AWA.id)).to.deep.equal(expected);
      expect(await store.findCredentials(AWA.email)).to.deep.equal({ account: expected, passwordHash: HASH });
    }
  });

  it('completes an account that leaves out, or has as undefined, the members that have defaults', async () => {
    const { email } = AWA;
    const complete = {
      id: 'BTQ-1001',
      email,
      phone: '',
      marchand: { referencl: 'BTQ-1001', statut: 1 },
      disabled: false,
    };
    const store = new InMemoryUserStore([{ email, passwordHash: HASH, marchand: { referencl: 'BTQ-1001' } }]);
    expect(await store.findCredentials(email)).to.deep.equal({ account: complete, passwordHash: HASH });
    const omitted = { id: undefined, phone: undefined, disabled: undefined } as object;
    const marchand = { referencl: 'BTQ-1001', statut: undefined } as unknown as { referencl: string };
    store.put({ ...omitted, email, passwordHash: HASH, marchand });
    expect(await store.findById('BTQ-1001')).to.deep.equal(complete);
  });

  describe('put', () => {
    it('replaces the account with that id, its email and its hash too, and no other account', async () => {
      const store = new InMemoryUserStore([withHash(AWA), withHash(KOFI)]);
      const moved = { ...AWA, email: 'awa@marche.example', phone: '', disabled: true };
      for (const passwordHash of ['another hash', null]) {
        store.put({ ...moved, passwordHash });
        expect(await store.findCredentials(moved.email)).to.deep.equal({ account: moved, passwordHash });
      }
      expect(await store.findCredentials(AWA.email)).to.equal(null);
      expect(await store.findById(KOFI.id)).to.deep.equal(KOFI);
      store.put(withHash({ ...FERMEE, email: AWA.email }));
      expect((await store.findCredentials(AWA.email))?.account.id).to.equal(FERMEE.id);
    });

    it('refuses an email that another account has, and changes nothing', async () => {
      const message = 'InMemoryUserStore: another account has this email.';
      const store = new InMemoryUserStore([withHash(AWA), withHash(KOFI)]);
      expectTypeError(() => store.put(withHash({ ...FERMEE, email: AWA.email })), message, AWA.email);
      expectTypeError(() => store.put(withHash({ ...KOFI, email: AWA.email })), message);
      expect((await store.findCredentials(AWA.email))?.account).to.deep.equal(AWA);
      expect((await store.findCredentials(KOFI.email))?.account).to.deep.equal(KOFI);
      expect(await store.findById(FERMEE.id)).to.equal(null);
    });

    it('keeps the account when its new password cannot be hashed', async () => {
      const store = new InMemoryUserStore([withHash(AWA)]);
      mock.method(argon2, 'hashSync', () => {
        throw new Error('out of memory');
      });
      expect(() => store.put({ ...AWA, password: 'a new password' })).to.throw('out of memory');
      mock.restoreAll();
      expect(await store.findCredentials(AWA.email)).to.deep.equal({ account: AWA, passwordHash: HASH });
    });

    it('refuses an account that breaks the contract, names the member, and changes nothing', async () => {
      const store = new InMemoryUserStore([withHash(AWA)]);
      const changes = [
        [
          { disabled: 0 },
          "disabled is not a boolean (for a number or a text: disabled: String(row.blocked) !== '0', or Number(row.active) !== 1)",
        ],
        [{ phone: null }, 'phone is not a string'],
        [{ marchand: { referencl: 'BTQ-1001', statut: null } }, 'marchand.statut is not an integer'],
        [{ id: undefined, marchand: {} }, 'marchand.referencl is not a non-empty string'],
        [{ id: undefined, marchand: undefined }, 'marchand.referencl is not a non-empty string'],
      ] as const;
      for (const [change, problem] of changes) {
        const account = { ...withHash(AWA, 'changed'), ...change } as unknown as MerchantAccount & {
          passwordHash: null;
        };
        expectTypeError(
          () => store.put(account),
          `InMemoryUserStore was given an account whose ${problem}.`,
          'changed',
        );
      }
      expect(await store.findCredentials(AWA.email)).to.deep.equal({ account: AWA, passwordHash: HASH });
    });

    it('refuses an account without a password or a passwordHash that is a string, and changes nothing', async () => {
      const store = new InMemoryUserStore([withHash(AWA)]);
      const nothings = [{}, { passwordHash: 5 }, ...[undefined, 5, {}, [PASSWORD]].map((password) => ({ password }))];
      for (const nothing of nothings) {
        expectTypeError(
          () => store.put({ ...AWA, ...nothing } as unknown as MerchantAccount & { passwordHash: null }),
          'InMemoryUserStore: an account needs a password or a passwordHash, as a string.',
        );
      }
      expect(await store.findCredentials(AWA.email)).to.deep.equal({ account: AWA, passwordHash: HASH });
    });
  });

  describe('remove', () => {
    it('removes an account and frees its email, and does nothing when there is no such account', async () => {
      const store = new InMemoryUserStore([withHash(AWA), withHash(KOFI)]);
      for (const id of [AWA.id, '99', '', KOFI.email]) store.remove(id);
      expect(await store.findById(AWA.id)).to.equal(null);
      expect(await store.findCredentials(AWA.email)).to.equal(null);
      expect(await store.findById(KOFI.id)).to.deep.equal(KOFI);
      store.put(withHash({ ...FERMEE, email: AWA.email }));
      expect((await store.findCredentials(AWA.email))?.account.id).to.equal(FERMEE.id);
    });
  });
});
