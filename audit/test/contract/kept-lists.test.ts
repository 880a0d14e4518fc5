import { randomUUID } from 'node:crypto';
import { AWA } from '../../../test/helpers/accounts.js';
import { type Asked, countingForEach, PATH, testHosts, TRANSACTIONS } from '../hosts.js';

const LIST = 'GET /v1/list';
const PARENT = 'GET /v1/transactions';
const SELECT = 'Select the rows by merchantOf(req).referencl, and keep no answer in a cache for all callers.';
const instead = (caller: string, owner: string) =>
  `${LIST} showed ${caller} the id of a row of ${owner}, and no own row. ${SELECT}`;
const filtered = (name: string) =>
  `${LIST} with the ${name} of merchant in the query showed otherMerchant the id of a row that merchant had just made. …`;
/** Returns a list that is read once, for its first reader. */
const keptList = () => {
  let kept: object | undefined;
  return ({ mine }: Asked) => (kept ??= mine.map(({ id }) => ({ id })));
};

describe('the case of lists', () => {
  const numberOf = countingForEach();
  const stale = [{ id: randomUUID() }];
  const filter = ({ req: { query }, all, mine }: Asked) => (query['state'] === 'pending' ? all : mine);

  testHosts('5.6 a list', {
    'is red for a list that is kept for the owner': {
      serves: { [LIST]: keptList() },
      says: instead('otherMerchant', 'merchant'),
    },
    'is red for a list that is kept for the other merchant': {
      serves: { [LIST]: keptList() },
      resources: [
        {
          ...TRANSACTIONS,
          async create(as) {
            const row = await TRANSACTIONS.create(as);
            if (as.email !== AWA.email) await as.send(LIST);
            return row;
          },
        },
      ],
      says: instead('merchant', 'otherMerchant'),
    },
    'is red for a list of rows that was kept before': {
      serves: { [PARENT]: () => stale },
      says: `${PARENT} shows both merchants the same, even after merchant has made a row. ${SELECT}`,
    },
    'passes for ids that each merchant counts': {
      newId: (referencl) => `INV-${1000 + numberOf(referencl)}`,
      serves: { [PARENT]: ({ mine }) => mine.map(({ id }) => ({ id })), [LIST]: () => stale },
    },
    'passes for the reference of a partner, which create returns too': {
      serves: { [LIST]: () => [AWA.marchand.referencl] },
      resources: [
        { ...TRANSACTIONS, create: async (as) => ({ ...(await TRANSACTIONS.create(as)), shop: as.referencl }) },
      ],
    },
    'is red for a filter with a value that the envelope of a row has too, under the same name': {
      serves: {
        [`GET ${PATH}`]: ({ own }) => own && { data: { id: own.id, state: 'pending' }, state: 'success' },
        [LIST]: filter,
      },
      says: filtered('state'),
    },
    'is red for a filter with the id of a populated member': {
      serves: {
        [`GET ${PATH}`]: ({ own }) => own && { data: [{ id: own.id, user: { _id: `u-${own.refercence_cl}` } }] },
        [LIST]: ({ req: { query }, all, me }) =>
          all.filter((row) => `u-${row.refercence_cl}` === (query['user'] ?? `u-${me}`)),
      },
      says: filtered('user'),
    },
  });
});
