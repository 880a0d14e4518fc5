import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectTooManyAttempts } from '../helpers/answers.js';
import { type Answer, bearer, type Client } from '../helpers/http.js';
import { tokenOf } from '../helpers/login-host.js';

export const AWA = { email: 'awa@boutique.example', password: 'baobab-2026' };
export const KOFI = { email: 'kofi@cantine.example', password: 'calebasse-2026' };

/** A page that holds all transactions of a test. */
export const ALL = { limit: 100 };

/** A transaction of awa. */
export const TRANSACTION = {
  refercence_cl: 'BTQ-1001',
  merchant_transaction_id: 'order-17',
  amount: 2500,
  currency: 'XOF',
};

export type Headers = Readonly<Record<string, string>>;

interface CreatedTransaction {
  readonly id: string;
}

export function tryLogIn(client: Client, credentials: object): Promise<Answer> {
  return client.send('POST', '/v1/login', { body: credentials });
}

export async function logIn(client: Client, credentials: object = AWA): Promise<Headers> {
  return bearer(tokenOf(await tryLogIn(client, credentials)));
}

export function list(client: Client, headers: Headers): Promise<Answer> {
  return client.send('GET', '/v1/transactions', { headers });
}

/** Creates a transaction of awa with a new id. */
export function create(client: Client, headers: Headers): Promise<Answer> {
  const body = { ...TRANSACTION, merchant_transaction_id: randomUUID() };
  return client.send('POST', '/v1/transactions', { headers, body });
}

export function idOf(created: Answer): string {
  expect(created.status, created.text).to.equal(201);
  return (created.json as { transaction: CreatedTransaction }).transaction.id;
}

/** Returns the ids of the listed transactions. */
export function idsOf(listed: Answer): string[] {
  expect(listed.status, listed.text).to.equal(200);
  return (listed.json as { transactions: CreatedTransaction[] }).transactions.map(({ id }) => id);
}

/** Asserts that the throttle refused a login because of one email and one source. */
export function expectThrottled(answer: Answer): void {
  const seconds = Number(answer.headers['retry-after']);
  expect(seconds).to.be.within(1, 900);
  expectTooManyAttempts(answer, seconds);
}
