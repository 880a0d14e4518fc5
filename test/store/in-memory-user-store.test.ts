import { inspect } from 'node:util';
import { expect } from 'chai';
import { argon2id } from '../../src/passwords/argon2.js';
import { checkCredentials, readAccountOf } from '../../src/store/check-account.js';
import { InMemoryUserStore, type NewAccount } from '../../src/store/in-memory-user-store.js';
import { checkUserStore, type MerchantAccount } from '../../src/store/user-store.js';
import { AWA, FERMEE, KOFI, PASSWORD, withPassword } from '../helpers/accounts.js';
import { expectTypeError } from '../helpers/thrown.js';

const HASH = 'a hash of whatever format';

function withHash(account: MerchantAccount, passwordHash = HASH): NewAccount {
  return { ...account, passwordHash };
}

describe('InMemoryUserStore', () => {
  it('is a UserStore', () => {
    checkUserStore('createThing', new InMemoryUserStore());
  });

  it('finds the accounts that it was created with, by email and by id', async () => {
    const store = new InMemoryUserStore([AWA, KOFI, FERMEE].map((account) => withHash(account)));
    for (const account of [AWA, KOFI, FERMEE]) {
      const credentials = await store.findCredentials(account.email);
      expect(credentials).to.deep.equal({ account, passwordHash: HASH });
      checkCredentials(credentials);
      const found = await store.findById(account.id);
      expect(found).to.deep.equal(account);
      readAccountOf(found, account.id);
    }
  });

  it('returns null when there is no account', async () => {
    for (const store of [new InMemoryUserStore(), new InMemoryUserStore([withHash(AWA)])]) {
      for (const nobody of ['', 'nobody@boutique.example', '2', 'constructor', '__proto__']) {
        expect(await store.findCredentials(nobody)).to.equal(null);
        expect(await store.findById(nobody)).to.equal(null);
      }
    }
  });

  it('compares emails exactly', async () => {
    const store = new InMemoryUserStore([withHash({ ...AWA, email: 'zo\u00e9@boutique.example' })]);
    const others = ['zo\u00e9@boutique.example ', 'ZO\u00c9@BOUTIQUE.EXAMPLE', 'zoe\u0301@boutique.example', '%', '.*'];
    for (const email of others) expect(await store.findCredentials(email), email).to.equal(null);
    store.put(withHash({ ...KOFI, email: 'ZO\u00c9@boutique.example' }));
    expect((await store.findCredentials('zo\u00e9@boutique.example'))?.account.id).to.equal(AWA.id);
    expect((await store.findCredentials('ZO\u00c9@boutique.example'))?.account.id).to.equal(KOFI.id);
  });

  it('hashes a password at the default cost', async () => {
    const store = new InMemoryUserStore([{ ...AWA, password: PASSWORD }]);
    const { passwordHash } = (await store.findCredentials(AWA.email)) ?? {};
    expect(passwordHash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await argon2id.verify(PASSWORD, passwordHash ?? '')).to.equal(true);
    expect(await argon2id.verify(`${PASSWORD} `, passwordHash ?? '')).to.equal(false);
  });

  it('neither keeps nor returns the password (ASVS 14.2.4)', async () => {
    const account = { ...AWA, password: 'tamarinier-2026' };
    const store = new InMemoryUserStore([account]);
    const handedOut = [await store.findCredentials(AWA.email), await store.findById(AWA.id)];
    const seen = inspect([store, handedOut], { showHidden: true, depth: Infinity, getters: true });
    expect(seen).not.to.contain('tamarinier-2026');
    expect(handedOut[1]).not.to.have.any.keys('password', 'passwordHash');
    expect(JSON.stringify([store, handedOut[1]])).not.to.contain('argon2id');
    expect(account.password).to.equal('tamarinier-2026');
  });

  it('does not show the hashes when it is printed', () => {
    const store = new InMemoryUserStore([withHash(AWA)]);
    expect(inspect(store, { showHidden: true, depth: Infinity })).not.to.contain(HASH);
  });

  it('copies the given accounts', async () => {
    const tokensValidAfter = new Date(1_000);
    const account = { ...AWA, marchand: { ...AWA.marchand }, tokensValidAfter, passwordHash: HASH };
    const store = new InMemoryUserStore([account]);
    account.email = 'changed@boutique.example';
    account.marchand.referencl = 'CNT-1002';
    account.tokensValidAfter.setTime(0);
    account.passwordHash = 'changed';
    Object.assign(account, { disabled: true });
    const expected = { ...AWA, tokensValidAfter: new Date(1_000) };
    expect(await store.findById('1')).to.deep.equal(expected);
    expect(await store.findCredentials(AWA.email)).to.deep.equal({ account: expected, passwordHash: HASH });
  });

  it('returns copies', async () => {
    const account = { ...AWA, tokensValidAfter: new Date(1_000) };
    const store = new InMemoryUserStore([withHash(account)]);
    for (let times = 0; times < 2; times++) {
      const credentials = await store.findCredentials(AWA.email);
      const found = await store.findById(AWA.id);
      expect(credentials).to.deep.equal({ account, passwordHash: HASH });
      expect(found).to.deep.equal(account);
      for (const copy of [credentials?.account, found]) {
        copy?.tokensValidAfter?.setTime(0);
        Object.assign(copy?.marchand ?? {}, { referencl: 'CNT-1002' });
        Object.assign(copy ?? {}, { disabled: true, email: KOFI.email });
      }
      Object.assign(credentials ?? {}, { passwordHash: 'changed' });
    }
  });

  it('keeps further members, and tokensValidAfter as it was given', async () => {
    for (const further of [{ tokensValidAfter: null }, { tokensValidAfter: undefined }, { shop: 'Cocody', level: 3 }]) {
      const account = { ...AWA, ...further } as MerchantAccount;
      expect(await new InMemoryUserStore([withHash(account)]).findById(AWA.id)).to.deep.equal(account);
    }
  });

  describe('put', () => {
    it('adds an account', async () => {
      const store = new InMemoryUserStore([withHash(AWA)]);
      store.put(withHash(KOFI));
      expect(await store.findById(KOFI.id)).to.deep.equal(KOFI);
      expect(await store.findById(AWA.id)).to.deep.equal(AWA);
    });

    it('replaces the account with that id, its email and its hash too', async () => {
      const store = new InMemoryUserStore([withHash(AWA)]);
      const moved = { id: AWA.id, email: 'awa@marche.example', phone: '', marchand: AWA.marchand, disabled: true };
      store.put(withHash(moved, 'another hash'));
      expect(await store.findById(AWA.id)).to.deep.equal(moved);
      expect(await store.findCredentials(moved.email)).to.deep.equal({ account: moved, passwordHash: 'another hash' });
      expect(await store.findCredentials(AWA.email)).to.equal(null);
      store.put(withHash({ ...KOFI, email: AWA.email }));
      expect((await store.findCredentials(AWA.email))?.account.id).to.equal(KOFI.id);
    });

    it('replaces an account that keeps its email', async () => {
      const store = new InMemoryUserStore([withHash(AWA)]);
      store.put(withHash({ ...AWA, disabled: true }));
      expect((await store.findCredentials(AWA.email))?.account.disabled).to.equal(true);
    });

    it('refuses an email that another account has, and changes nothing', async () => {
      const message = 'InMemoryUserStore: another account has this email.';
      const store = new InMemoryUserStore([withHash(AWA), withHash(KOFI)]);
      expectTypeError(() => store.put(withHash({ ...FERMEE, email: AWA.email })), message, AWA.email);
      expectTypeError(() => store.put(withHash({ ...KOFI, email: AWA.email })), message);
      expect((await store.findCredentials(AWA.email))?.account).to.deep.equal(AWA);
      expect((await store.findCredentials(KOFI.email))?.account).to.deep.equal(KOFI);
      expect(await store.findById(FERMEE.id)).to.equal(null);
      expectTypeError(() => new InMemoryUserStore([withHash(AWA), withHash({ ...KOFI, email: AWA.email })]), message);
    });

    it('refuses an account that breaks the contract, names the member, and changes nothing', async () => {
      const store = new InMemoryUserStore([withHash(AWA)]);
      for (const [change, problem] of [
        [{ id: 1 }, 'an account whose id is not a non-empty string (for an integer key: String(id))'],
        [{ email: '' }, 'an account whose email is not a non-empty string'],
        [{ phone: null }, 'an account whose phone is not a string'],
        [{ marchand: null }, 'an account whose marchand.referencl is not a non-empty string'],
        [{ marchand: { referencl: 'BTQ-1001' } }, 'an account whose marchand.statut is not an integer'],
        [{ disabled: 0 }, 'an account whose disabled is not a boolean (for a 0/1 column: disabled === 1)'],
        [{ tokensValidAfter: 'now' }, 'an account whose tokensValidAfter is not a valid Date, null or absent'],
      ] as const) {
        const account = { ...withHash(AWA), ...change } as unknown as NewAccount;
        expectTypeError(() => store.put(account), `InMemoryUserStore was given ${problem}.`, HASH);
      }
      expect(await store.findCredentials(AWA.email)).to.deep.equal({ account: AWA, passwordHash: HASH });
    });

    it('refuses an account without password and passwordHash, and changes nothing', async () => {
      const message = 'InMemoryUserStore: an account needs a password or a passwordHash, as a string.';
      const store = new InMemoryUserStore([withHash(AWA)]);
      const nothings = [{}, { passwordHash: 5 }, { password: undefined }];
      for (const nothing of nothings) {
        expectTypeError(() => store.put({ ...AWA, ...nothing } as unknown as NewAccount), message);
      }
      expect(await store.findCredentials(AWA.email)).to.deep.equal({ account: AWA, passwordHash: HASH });
    });

    it('keeps null as the passwordHash of an account without a password', async () => {
      const store = new InMemoryUserStore([{ ...AWA, passwordHash: null }]);
      expect(await store.findCredentials(AWA.email)).to.deep.equal({ account: AWA, passwordHash: null });
    });

    it('refuses a password that is not a string', () => {
      const message = 'InMemoryUserStore: an account needs a password or a passwordHash, as a string.';
      for (const password of [5, null, true, {}, [PASSWORD], new Uint8Array([1, 2, 3, 4, 5, 6])]) {
        const account = { ...AWA, password } as unknown as NewAccount;
        expectTypeError(() => new InMemoryUserStore([account]), message);
      }
    });
  });

  describe('remove', () => {
    it('removes an account, and frees its email', async () => {
      const store = new InMemoryUserStore([withHash(AWA), withHash(KOFI)]);
      store.remove(AWA.id);
      expect(await store.findById(AWA.id)).to.equal(null);
      expect(await store.findCredentials(AWA.email)).to.equal(null);
      expect(await store.findById(KOFI.id)).to.deep.equal(KOFI);
      store.put(withHash({ ...FERMEE, email: AWA.email }));
      expect((await store.findCredentials(AWA.email))?.account.id).to.equal(FERMEE.id);
    });

    it('does nothing when there is no such account', async () => {
      const store = new InMemoryUserStore([withHash(AWA)]);
      for (const id of ['2', '', AWA.email]) store.remove(id);
      expect(await store.findById(AWA.id)).to.deep.equal(AWA);
    });
  });

  describe('replacePasswordHash', () => {
    it('replaces the hash that is current, and nothing else', async () => {
      const store = new InMemoryUserStore([withHash(AWA), withHash(KOFI)]);
      expect(await store.replacePasswordHash(AWA.id, HASH, 'next')).to.equal(true);
      expect(await store.findCredentials(AWA.email)).to.deep.equal({ account: AWA, passwordHash: 'next' });
      expect(await store.findCredentials(KOFI.email)).to.deep.equal({ account: KOFI, passwordHash: HASH });
    });

    it('is false, and replaces nothing, when another hash is stored', async () => {
      const store = new InMemoryUserStore([withHash(AWA)]);
      for (const current of ['', 'another', `${HASH} `]) {
        expect(await store.replacePasswordHash(AWA.id, current, 'next')).to.equal(false);
      }
      expect((await store.findCredentials(AWA.email))?.passwordHash).to.equal(HASH);
    });

    it('returns true for only one of two calls that replace the same hash', async () => {
      const store = new InMemoryUserStore([withHash(AWA)]);
      const outcomes = await Promise.all([
        store.replacePasswordHash(AWA.id, HASH, 'first'),
        store.replacePasswordHash(AWA.id, HASH, 'second'),
      ]);
      expect(outcomes).to.deep.equal([true, false]);
      expect((await store.findCredentials(AWA.email))?.passwordHash).to.equal('first');
    });

    it('is false when there is no such account', async () => {
      const store = new InMemoryUserStore([withPassword(AWA)]);
      expect(await store.replacePasswordHash(KOFI.id, HASH, 'next')).to.equal(false);
      expect(await store.findById(KOFI.id)).to.equal(null);
    });
  });
});
