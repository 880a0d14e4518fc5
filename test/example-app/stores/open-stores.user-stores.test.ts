import { expect } from 'chai';
import { type SeedAccount, userStoreContract } from '../../../src/testing/index.js';
import { onEachUserStore, type OpenUserStore } from '../each-user-store.js';

const ACCOUNT: SeedAccount = {
  id: '1',
  email: 'awa@boutique.example',
  phone: '+2250700000001',
  marchand: { referencl: 'BTQ-1001', statut: 1 },
  disabled: false,
  passwordHash: 'a hash',
};

onEachUserStore('example-app', (createStore) => {
  for (const { name, run } of userStoreContract(createStore)) it(name, run);

  describe('beyond the contract', () => {
    let open: OpenUserStore;

    beforeEach('open the store', async () => {
      open = await createStore();
    });
    afterEach('close the store', () => open.close?.());

    it('treats emails as different when they differ in any character', async () => {
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
      ];
      await open.seed(emails.map((email, index) => ({ ...ACCOUNT, id: String(index + 1), email })));
      const found = await Promise.all(emails.map((email) => open.store.findCredentials(email)));
      expect(found.map((credentials) => credentials?.account.email)).to.deep.equal(emails);
    });

    it('treats hashes as different when they differ in a space at the end', async () => {
      const passwordHash = ` $argon2id$${'x'.repeat(300)} `;
      await open.seed([{ ...ACCOUNT, passwordHash }]);
      for (const other of [passwordHash.trimEnd(), `${passwordHash} `]) {
        expect(await open.store.replacePasswordHash('1', other, 'another hash')).to.equal(false);
      }
      expect(await open.store.replacePasswordHash('1', passwordHash, 'another hash')).to.equal(true);
    });

    it('returns true when the new hash equals the old one', async () => {
      await open.seed([ACCOUNT]);
      expect(await open.store.replacePasswordHash('1', 'a hash', 'a hash')).to.equal(true);
    });
  });
});
