import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import request, { type Response, type Test } from 'supertest';
import { expectTooManyAttempts } from '../helpers/answers.js';
import { bearer } from '../helpers/http.js';

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

/** An app for one request, or the URL of one that listens. */
type App = Parameters<typeof request>[0];

interface CreatedTransaction {
  readonly id: string;
}

export function tryLogIn(app: App, credentials: object): Test {
  return request(app).post('/v1/login').send(credentials);
}

export async function logIn(app: App, credentials: object = AWA): Promise<Headers> {
  const answer = await tryLogIn(app, credentials).expect(200);
  return bearer((answer.body as { authorisation: { token: string } }).authorisation.token);
}

export function list(app: App, headers: Headers): Test {
  return request(app).get('/v1/transactions').set(headers);
}

/** Creates a transaction of awa with a new id. */
export function create(app: App, headers: Headers): Test {
  const body = { ...TRANSACTION, merchant_transaction_id: randomUUID() };
  return request(app).post('/v1/transactions').set(headers).send(body);
}

export function idOf(created: Response): string {
  expect(created.status, created.text).to.equal(201);
  return (created.body as { transaction: CreatedTransaction }).transaction.id;
}

/** Returns the ids of the listed transactions. */
export function idsOf(listed: Response): string[] {
  expect(listed.status, listed.text).to.equal(200);
  return (listed.body as { transactions: CreatedTransaction[] }).transactions.map(({ id }) => id);
}

/** Asserts that the throttle refused a login because of one email and one source. */
export function expectThrottled(answer: Response): void {
  const seconds = Number(answer.headers['retry-after']);
  expect(seconds).to.be.within(1, 900);
  expectTooManyAttempts(answer, seconds);
}
