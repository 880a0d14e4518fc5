import { expect } from 'chai';
import {
  expectError,
  expectForeignReference,
  expectInvalidBody,
  expectInvalidReference,
  expectMissingReference,
  expectUnreadableBody,
} from '../../helpers/answers.js';
import type { Answer, Client } from '../../helpers/http.js';
import { serveApp } from '../serve-app.js';

type Headers = Readonly<Record<string, string>>;

interface Transaction {
  readonly id: string;
  readonly status: string;
  readonly created_at: string;
  readonly [field: string]: unknown;
}

const FIELDS = { merchant_transaction_id: 'order-17', amount: 2500, currency: 'XOF' };
const OF_AWA = { refercence_cl: 'BTQ-1001', ...FIELDS };
const OF_KOFI = { refercence_cl: 'CNT-1002', ...FIELDS };

const WRONG_ID = 'merchant_transaction_id must be a string of 1 to 64 characters, without control characters.';
const WRONG_AMOUNT = 'amount must be a whole number from 1 to 9007199254740991.';
const WRONG_CURRENCY = 'currency must be three capital letters.';

function create(client: Client, headers: Headers, body: unknown): Promise<Answer> {
  return client.send('POST', '/v1/transactions', { headers, body });
}

async function created(client: Client, headers: Headers, body: unknown): Promise<Transaction> {
  return ((await create(client, headers, body)).json as { transaction: Transaction }).transaction;
}

function expectInvalidTransaction(answer: Answer, description: string): void {
  expectError(answer, { code: 400, error: 'invalid_transaction', message: 'Invalid request', description });
}

function expectNoTransaction(answer: Answer): void {
  const description = 'There is no such transaction.';
  expectError(answer, { code: 404, error: 'not_found', message: 'Not found', description });
}

describe('example-app: POST /v1/transactions', () => {
  it('creates a transaction of the caller and returns its Location', async () => {
    const { client, awa } = await serveApp();
    const answer = await create(client, awa, OF_AWA);
    const { id, created_at } = (answer.json as { transaction: Transaction }).transaction;
    expect(answer.status).to.equal(201);
    expect(answer.text).to.equal(
      '{"status":"INITIATED","success":true,"code":201,"message":"Transaction initiated","transaction":' +
        `{"id":"${id}","status":"INITIATED","refercence_cl":"BTQ-1001","merchant_transaction_id":"order-17","amount":2500,` +
        `"currency":"XOF","created_at":"${created_at}"}}`,
    );
    expect(answer.headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      location: `/v1/transactions/${id}`,
    });
    expect(id).to.match(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(new Date(created_at).toISOString()).to.equal(created_at);
  });

  it('stores no unknown member', async () => {
    const { client, awa } = await serveApp();
    const transaction = await created(client, awa, { ...OF_AWA, id: '7', created_at: 'never', status: 'paid' });
    expect(Object.keys(transaction)).to.deep.equal(['id', 'status', ...Object.keys(OF_AWA), 'created_at']);
    expect(transaction.status).to.equal('INITIATED');
    expect(transaction.id).not.to.equal('7');
    expect(transaction.created_at).not.to.equal('never');
  });

  it("refuses another merchant's reference, and stores nothing", async () => {
    const { client, awa, kofi } = await serveApp();
    expectForeignReference(await create(client, awa, OF_KOFI));
    for (const headers of [awa, kofi]) {
      expect((await client.send('GET', '/v1/transactions', { headers })).json).to.deep.include({ transactions: [] });
    }
  });

  it('refuses a reference that is missing, misspelled, or not a string', async () => {
    const { client, awa } = await serveApp();
    expectMissingReference(await create(client, awa, FIELDS));
    expectMissingReference(await client.send('POST', '/v1/transactions', { headers: awa }));
    expectMissingReference(
      await create(client, awa, { ...FIELDS, reference_cl: 'BTQ-1001' }),
      ' You sent reference_cl.',
    );
    expectInvalidReference(await create(client, awa, { ...FIELDS, refercence_cl: ['BTQ-1001'] }));
  });

  it('refuses a body that is not JSON', async () => {
    const { client, awa } = await serveApp();
    const form = { ...awa, 'Content-Type': 'application/x-www-form-urlencoded' };
    expectUnreadableBody(await create(client, form, 'refercence_cl=BTQ-1001'));
    const broken = { headers: { ...awa, 'Content-Type': 'application/json' }, body: '{"refercence_cl":' };
    expectInvalidBody(
      await client.send('POST', '/v1/transactions', broken),
      'The body is not a valid JSON object or array.',
    );
  });

  it('refuses JSON that is not an object, and a reference in the query instead of a body', async () => {
    const { client, awa } = await serveApp();
    const description = 'The body must be a JSON object.';
    expectInvalidTransaction(await create(client, awa, [OF_AWA]), description);
    const path = '/v1/transactions?refercence_cl=BTQ-1001';
    expectInvalidTransaction(await client.send('POST', path, { headers: awa }), description);
  });

  for (const [title, fields, description] of [
    ['no merchant_transaction_id', { merchant_transaction_id: undefined }, WRONG_ID],
    ['an empty merchant_transaction_id', { merchant_transaction_id: '' }, WRONG_ID],
    ['a merchant_transaction_id of 65 characters', { merchant_transaction_id: 'x'.repeat(65) }, WRONG_ID],
    ['a merchant_transaction_id that is a number', { merchant_transaction_id: 17 }, WRONG_ID],
    ['a merchant_transaction_id with NUL', { merchant_transaction_id: 'order\0' }, WRONG_ID],
    ['a merchant_transaction_id with a line break at its end', { merchant_transaction_id: 'order\n' }, WRONG_ID],
    ['a merchant_transaction_id with half a character', { merchant_transaction_id: '\ud83d' }, WRONG_ID],
    ['no amount', { amount: undefined }, WRONG_AMOUNT],
    ['an amount of 0', { amount: 0 }, WRONG_AMOUNT],
    ['an amount below 0', { amount: -1 }, WRONG_AMOUNT],
    ['an amount with a fraction', { amount: 12.5 }, WRONG_AMOUNT],
    ['an amount that is a string', { amount: '2500' }, WRONG_AMOUNT],
    ['an amount that no longer is exact', { amount: 2 ** 53 }, WRONG_AMOUNT],
    ['no currency', { currency: undefined }, WRONG_CURRENCY],
    ['a currency in small letters', { currency: 'xof' }, WRONG_CURRENCY],
    ['a currency of two letters', { currency: 'XO' }, WRONG_CURRENCY],
    ['a currency of four letters', { currency: 'XOFF' }, WRONG_CURRENCY],
    ['a currency in a list', { currency: ['XOF'] }, WRONG_CURRENCY],
    [
      'several wrong fields',
      { merchant_transaction_id: '', amount: 0, currency: '' },
      `${WRONG_ID} ${WRONG_AMOUNT} ${WRONG_CURRENCY}`,
    ],
  ] as const) {
    it(`refuses ${title}, naming what is wrong`, async () => {
      const { client, awa } = await serveApp();
      expectInvalidTransaction(await create(client, awa, { ...OF_AWA, ...fields }), description);
    });
  }

  for (const [title, fields] of [
    ['a merchant_transaction_id of one character', { merchant_transaction_id: '1' }],
    ['a merchant_transaction_id of 64 characters outside the BMP', { merchant_transaction_id: '🧾'.repeat(64) }],
    ['the least amount', { amount: 1 }],
    ['the greatest amount', { amount: Number.MAX_SAFE_INTEGER }],
  ] as const) {
    it(`accepts ${title}`, async () => {
      const { client, awa } = await serveApp();
      expect(await created(client, awa, { ...OF_AWA, ...fields })).to.deep.include({ ...OF_AWA, ...fields });
    });
  }
});

describe('example-app: GET /v1/transactions', () => {
  it("lists the caller's own transactions, oldest first", async () => {
    const { client, awa, kofi } = await serveApp();
    const first = await created(client, awa, OF_AWA);
    await created(client, kofi, OF_KOFI);
    const second = await created(client, awa, { ...OF_AWA, merchant_transaction_id: 'order-18' });
    const answer = await client.send('GET', '/v1/transactions', { headers: awa });
    expect(answer.status).to.equal(200);
    expect(answer.json).to.deep.equal({
      status: 'Success',
      success: true,
      code: 200,
      message: 'Transactions found',
      transactions: [first, second],
    });
  });

  it('answers an empty list to a merchant without transactions', async () => {
    const { client, awa, kofi } = await serveApp();
    await created(client, kofi, OF_KOFI);
    const answer = await client.send('GET', '/v1/transactions', { headers: awa });
    expect(answer.status).to.equal(200);
    expect(answer.text).to.equal(
      '{"status":"Success","success":true,"code":200,"message":"Transactions found","transactions":[]}',
    );
  });
});

describe('example-app: GET /v1/transactions/:id', () => {
  it("answers the caller's own transaction", async () => {
    const { client, awa } = await serveApp();
    const transaction = await created(client, awa, OF_AWA);
    const answer = await client.send('GET', `/v1/transactions/${transaction.id}`, { headers: awa });
    expect(answer.status).to.equal(200);
    expect(answer.json).to.deep.equal({
      status: 'INITIATED',
      success: true,
      code: 200,
      message: 'Transaction found',
      transaction,
    });
  });

  it("answers another merchant's transaction like one that does not exist", async () => {
    const { client, awa, kofi } = await serveApp();
    const { id } = await created(client, kofi, OF_KOFI);
    expectNoTransaction(await client.send('GET', `/v1/transactions/${id}`, { headers: awa }));
    expectNoTransaction(await client.send('GET', '/v1/transactions/no-such-id', { headers: awa }));
  });
});
