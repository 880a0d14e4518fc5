import { expect } from 'chai';
import { onEachUserStore, type OpenUserStore, type SeededAccount } from './each-user-store.js';

function account(changes: Partial<SeededAccount> = {}): SeededAccount {
  return {
    id: '1',
    email: 'awa@boutique.example',
    phone: '+2250700000001',
    marchand: { referencl: 'BTQ-1001', statut: 1 },
    disabled: false,
    passwordHash: 'a hash',
    ...changes,
  };
}

onEachUserStore('example-app', (createStore) => {
  let open: OpenUserStore;

  beforeEach('open the store', async () => {
    open = await createStore();
  });
  afterEach('close the store', () => open.close());

  it('finds an account with every member, of the type that the guard checks', async () => {
    const tokensValidAfter = new Date('2026-11-21T08:15:30.123Z');
    const { passwordHash, ...stored } = account({
      disabled: true,
      marchand: { referencl: 'BTQ-1001', statut: -2 },
      tokensValidAfter,
    });
    await open.seed([{ ...stored, passwordHash }, account({ id: '2', email: 'kofi@cantine.example' })]);
    expect(await open.store.findById('1')).to.deep.equal(stored);
    expect(await open.store.findCredentials(stored.email)).to.deep.equal({ account: stored, passwordHash });
    const { disabled, tokensValidAfter: none } = (await open.store.findById('2')) ?? {};
    expect(disabled).to.equal(false);
    expect(none ?? null).to.equal(null);
  });

  it('answers null where there is no such account', async () => {
    await open.seed([account()]);
    expect(await open.store.findById('2')).to.equal(null);
    expect(await open.store.findCredentials('kofi@cantine.example')).to.equal(null);
  });

  it('tells emails apart that differ in anything, for uniqueness as at lookup', async () => {
    const emails = [
      'awa@strasse.example',
      'Awa@strasse.example',
      'awa@straße.example',
      'awa@strasse.example ',
      ' awa@strasse.example',
      'awa@str\u200Basse.example',
      'awa@str\u0001asse.example',
      'awá@strasse.example',
      'awa\u0301@strasse.example',
      'ıwa@strasse.example',
      'iwa@strasse.example',
      'awa%@strasse.example',
      'a_a@strasse.example',
      "awa'@strasse.example",
      'awa\\@strasse.example',
      'awa🥭@strasse.example',
      'awa\uFFFD@strasse.example',
      `${'🥭'.repeat(254)}@`,
    ];
    await open.seed(emails.map((email, index) => account({ id: String(index + 1), email })));
    const found = await Promise.all(emails.map((email) => open.store.findCredentials(email)));
    expect(found.map((credentials) => credentials?.account.email)).to.deep.equal(emails);
  });

  for (const email of [
    '%',
    'awa@boutique.example\0',
    'awa\uD800@strasse.example',
    `' OR ''='`,
    'awa@boutique.example%',
  ]) {
    it(`finds nobody by ${JSON.stringify(email)}`, async () => {
      await open.seed([account(), account({ id: '2', email: 'awa\uFFFD@strasse.example' })]);
      expect(await open.store.findCredentials(email)).to.equal(null);
    });
  }

  it('gives ids back as they are, to the digit', async () => {
    const ids = ['42', '9007199254740993', '9223372036854775807'];
    await open.seed(ids.map((id) => account({ id, email: `${id}@boutique.example` })));
    for (const id of [...ids]) expect((await open.store.findById(id))?.id).to.equal(id);
    expect(await open.store.findById('9007199254740992')).to.equal(null);
  });

  for (const id of [
    '1abc',
    '01',
    '+1',
    ' 1',
    '1 ',
    '1\n',
    '1.0',
    '1e0',
    '0x1',
    '١',
    '',
    '-0',
    'x',
    '1\0',
    '18446744073709551617',
    '9223372036854775808',
    '9'.repeat(400),
  ]) {
    it(`knows no account by the id ${JSON.stringify(id.slice(0, 24))}`, async () => {
      await open.seed([account()]);
      expect(await open.store.findById(id)).to.equal(null);
      expect(await open.store.replacePasswordHash(id, 'a hash', 'another hash')).to.equal(false);
      expect((await open.store.findCredentials(account().email))?.passwordHash).to.equal('a hash');
    });
  }

  it('keeps a hash to the letter, however long', async () => {
    const passwordHash = ` $argon2id$${'x'.repeat(300)} `;
    await open.seed([account({ passwordHash })]);
    expect((await open.store.findCredentials(account().email))?.passwordHash).to.equal(passwordHash);
    for (const other of [passwordHash.trimEnd(), passwordHash.toUpperCase(), `${passwordHash} `]) {
      expect(await open.store.replacePasswordHash('1', other, 'another hash')).to.equal(false);
    }
    expect(await open.store.replacePasswordHash('1', passwordHash, 'another hash')).to.equal(true);
    expect((await open.store.findCredentials(account().email))?.passwordHash).to.equal('another hash');
  });

  it('lets one of 50 replace a hash at once, and the one account only', async () => {
    await open.seed([account(), account({ id: '2', email: 'kofi@cantine.example' })]);
    const next = Array.from({ length: 50 }, (_, index) => `hash ${index}`);
    const results = await Promise.all(next.map((hash) => open.store.replacePasswordHash('1', 'a hash', hash)));
    expect(results.filter(Boolean)).to.have.lengthOf(1);
    const stored = await open.store.findCredentials(account().email);
    expect(stored?.passwordHash).to.equal(next[results.indexOf(true)]);
    expect((await open.store.findCredentials('kofi@cantine.example'))?.passwordHash).to.equal('a hash');
  });

  it('says true where the new hash is the old one', async () => {
    await open.seed([account()]);
    expect(await open.store.replacePasswordHash('1', 'a hash', 'a hash')).to.equal(true);
  });
});
