import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MerchantModel } from '../stores/mongoose/merchant';
import { MongooseUserStore } from '../stores/mongoose/mongoose-user-store';

const NO_IDS = ['1', '', 'abc', '0123456789AB0123456789AB', '0123456789ab0123456789ab\n', 'twelve bytes'];
const NO_EMAILS = ['awa\0@boutique.example', 'awa\ud800@boutique.example'];

// There is no connection, so a query to MongoDB would never be answered.
test('the store with Mongoose asks MongoDB for nothing that it cannot hold', { timeout: 5_000 }, async ({ mock }) => {
  const store = new MongooseUserStore();
  for (const id of NO_IDS) {
    assert.equal(await store.findById(id), null);
    assert.equal(await store.replacePasswordHash(id, 'current', 'next'), false);
  }
  const find = mock.method(MerchantModel, 'find', () => ({ lean: () => Promise.resolve([]) }));
  const id = '0123456789ab0123456789ab';
  assert.deepEqual(await store.findByIds([...NO_IDS, id]), []);
  assert.deepEqual(find.mock.calls[0]?.arguments, [{ _id: { $in: [id] } }]);
  for (const email of NO_EMAILS) assert.equal(await store.findCredentials(email), null);
});
