import { expect } from 'chai';
import request, { type Response } from 'supertest';
import { expectError, expectForeignReference } from '../../helpers/answers.js';
import { type Headers, list, TRANSACTION } from '../calls.js';
import { serveApp, type ServedApp } from '../serve-app.js';

interface Transaction {
  readonly id: string;
  readonly created_at: string;
}

const OF_KOFI = { ...TRANSACTION, refercence_cl: 'CNT-1002' };

const MESSAGES = {
  merchant_transaction_id:
    'merchant_transaction_id must be a string of 1 to 64 characters, without control characters.',
  amount: 'amount must be a whole number from 1 to 9007199254740991.',
  currency: 'currency must be three capital letters.',
  limit: 'limit must be a whole number from 1 to 100.',
  after: 'after must be the id of one of your transactions.',
} as const;

/** A member or parameter, and the rule that it breaks. */
type Broken = readonly [field: keyof typeof MESSAGES, rule: string];

/** Asserts a 400 that lists these rules, in this order, and says once for each field what to send. */
function expectBroken(answer: Response, error: string, broken: readonly Broken[]): void {
  const errors = broken.map(([field, rule]) => ({ field, rule, message: MESSAGES[field] }));
  const description = [...new Set(errors.map(({ message }) => message))].join(' ');
  expectError(answer, { code: 400, error, message: 'Invalid request', description, errors });
}

const transactionOf = ({ body }: Response) => (body as { transaction: Transaction }).transaction;

describe('example-app: the transactions', () => {
  let served: ServedApp;

  beforeEach('create the app', () => {
    served = serveApp();
  });

  const create = (body: object, headers: Headers = served.awa) =>
    request(served.app).post('/v1/transactions').set(headers).send(body);
  const find = (id: string) => request(served.app).get(`/v1/transactions/${id}`).set(served.awa);

  it('are created for the caller, with a Location, and without unknown members', async () => {
    const answer = await create({ ...TRANSACTION, id: '7', created_at: 'never', status: 'paid' });
    const { id, created_at } = transactionOf(answer);
    expect(answer.status).to.equal(201);
    expect(answer.text).to.equal(
      '{"status":"INITIATED","success":true,"code":201,"message":"Transaction initiated","transaction":' +
        `{"id":"${id}","status":"INITIATED","refercence_cl":"BTQ-1001","merchant_transaction_id":"order-17","amount":2500,` +
        `"currency":"XOF","created_at":"${created_at}"}}`,
    );
    expect(answer.headers['location']).to.equal(`/v1/transactions/${id}`);
    expect(id).to.match(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(new Date(created_at).toISOString()).to.equal(created_at);
  });

  it('are found again when the same request is repeated', async () => {
    const transaction = transactionOf(await create(TRANSACTION));
    const again = await create({ ...TRANSACTION, note: 'members that are not known do not count' });
    const found = { status: 'INITIATED', success: true, code: 200, message: 'Transaction found', transaction };
    expect(again.status).to.equal(200);
    expect(again.body).to.deep.equal(found);
    expect(again.headers['location']).to.equal(`/v1/transactions/${transaction.id}`);
    await find(transaction.id).expect(200).expect(found);
  });

  it('are refused with 409 when a merchant_transaction_id is repeated with other values', async () => {
    await create(TRANSACTION);
    const message = 'merchant_transaction_id already used';
    const description =
      'You sent this merchant_transaction_id before, with another body. Use a new one for a new transaction.';
    for (const change of [{ amount: 2501 }, { currency: 'XAF' }]) {
      const answer = await create({ ...TRANSACTION, ...change });
      expectError(answer, { code: 409, error: 'transaction_conflict', message, description });
    }
  });

  const TOO_LONG = `${'x'.repeat(64)}\n`;
  for (const [fields, ...broken] of [
    [{ merchant_transaction_id: undefined }, ['merchant_transaction_id', 'required']],
    [{ merchant_transaction_id: '' }, ['merchant_transaction_id', 'minLength']],
    [{ merchant_transaction_id: 'x'.repeat(65) }, ['merchant_transaction_id', 'maxLength']],
    [{ merchant_transaction_id: 17 }, ['merchant_transaction_id', 'type']],
    [{ merchant_transaction_id: 'order\0' }, ['merchant_transaction_id', 'pattern']],
    [{ merchant_transaction_id: 'order\n' }, ['merchant_transaction_id', 'pattern']],
    [{ merchant_transaction_id: '\ud83d' }, ['merchant_transaction_id', 'pattern']],
    [
      { merchant_transaction_id: TOO_LONG },
      ['merchant_transaction_id', 'maxLength'],
      ['merchant_transaction_id', 'pattern'],
    ],
    [{ amount: undefined }, ['amount', 'required']],
    [{ amount: 0 }, ['amount', 'minimum']],
    [{ amount: -1 }, ['amount', 'minimum']],
    [{ amount: 12.5 }, ['amount', 'type']],
    [{ amount: '2500' }, ['amount', 'type']],
    [{ amount: 2 ** 53 }, ['amount', 'maximum']],
    [{ currency: undefined }, ['currency', 'required']],
    [{ currency: 'xof' }, ['currency', 'pattern']],
    [{ currency: 'XO' }, ['currency', 'pattern']],
    [{ currency: 'XOFF' }, ['currency', 'pattern']],
    [{ currency: ['XOF'] }, ['currency', 'type']],
    [
      { currency: '', amount: 0, merchant_transaction_id: undefined },
      ['merchant_transaction_id', 'required'],
      ['amount', 'minimum'],
      ['currency', 'pattern'],
    ],
  ] as [object, ...Broken[]][]) {
    const shown = Object.entries(fields).map(([field, value]) => `${field} ${JSON.stringify(value) ?? 'missing'}`);
    it(`are refused with ${shown.join(', ')}`, async () => {
      expectBroken(await create({ ...TRANSACTION, ...fields }), 'invalid_transaction', broken);
    });
  }

  it('are accepted up to the limits', async () => {
    for (const fields of [
      { merchant_transaction_id: '1', amount: 1 },
      { merchant_transaction_id: '🧾'.repeat(64), amount: Number.MAX_SAFE_INTEGER },
    ]) {
      expect(transactionOf(await create({ ...TRANSACTION, ...fields }))).to.deep.include(fields);
    }
  });

  it('are shown to their merchant alone', async () => {
    const ofKofi = transactionOf(await create(OF_KOFI, served.kofi));
    const empty = {
      status: 'Success',
      success: true,
      code: 200,
      message: 'Transactions found',
      transactions: [],
      has_more: false,
    };
    await list(served.app, served.awa).expect(empty);
    const first = transactionOf(await create(TRANSACTION));
    const second = transactionOf(await create({ ...TRANSACTION, merchant_transaction_id: 'order-18' }));
    await list(served.app, served.awa).expect({ ...empty, transactions: [first, second] });
    await list(served.app, served.kofi).expect({ ...empty, transactions: [ofKofi] });
    for (const id of [ofKofi.id, 'no-such-id']) {
      const description = 'There is no such transaction.';
      expectError(await find(id), { code: 404, error: 'not_found', message: 'Not found', description });
    }
  });

  const listed = (query: string) => request(served.app).get(`/v1/transactions?${query}`).set(served.awa);

  /** Returns the merchant_transaction_id of each transaction of a page, and has_more. */
  async function pageOf(query: string): Promise<unknown[]> {
    const page = await listed(query);
    const { transactions, has_more } = page.body as { transactions: (typeof TRANSACTION)[]; has_more: boolean };
    return [...transactions.map(({ merchant_transaction_id }) => merchant_transaction_id), has_more];
  }

  it('are shown in pages of 50 or limit, and one is found by the id of the merchant', async () => {
    const numbers = Array.from({ length: 51 }, (_, index) => String(index + 1));
    let first = '';
    for (const merchant_transaction_id of numbers) {
      const { id } = transactionOf(await create({ ...TRANSACTION, merchant_transaction_id }));
      first ||= id;
    }
    expect(await pageOf('')).to.deep.equal([...numbers.slice(0, 50), true]);
    for (const limit of [51, 100]) expect(await pageOf(`limit=${limit}`)).to.deep.equal([...numbers, false]);
    expect(await pageOf(`after=${first}&limit=2`)).to.deep.equal(['2', '3', true]);
    expect(await pageOf('merchant_transaction_id=27')).to.deep.equal(['27', false]);
    expect(await pageOf('merchant_transaction_id=order-27')).to.deep.equal([false]);
  });

  it('are not listed for a foreign reference, which the guard alone looks for', async () => {
    expectForeignReference(await listed('refercence_cl=CNT-1002'));
  });

  for (const [query, ...broken] of [
    ...['0', '-1'].map((limit) => [`limit=${limit}`, ['limit', 'minimum']]),
    ['limit=101', ['limit', 'maximum']],
    ...['1.5', 'all', '', '1&limit=2'].map((limit) => [`limit=${limit}`, ['limit', 'type']]),
    ...['', 'no-such-id', 'a%00', 'KOFI'].map((after) => [`after=${after}`, ['after', 'exists']]),
    ['after=a&after=a', ['after', 'type']],
    ['merchant_transaction_id=', ['merchant_transaction_id', 'minLength']],
    ['merchant_transaction_id=%00', ['merchant_transaction_id', 'pattern']],
    [`merchant_transaction_id=${'x'.repeat(65)}`, ['merchant_transaction_id', 'maxLength']],
    ['merchant_transaction_id=1&merchant_transaction_id=2', ['merchant_transaction_id', 'type']],
    ['after=a&after=b&limit=0', ['limit', 'minimum'], ['after', 'type']],
  ] as [string, ...Broken[]][]) {
    it(`are not listed for ?${query}`, async () => {
      const { id } = transactionOf(await create(OF_KOFI, served.kofi));
      expectBroken(await listed(query.replace('KOFI', id)), 'invalid_query', broken);
    });
  }
});
