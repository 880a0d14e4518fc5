import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AuthError, createTokens } from 'express-merchant-auth';
import { createApp } from './app';
import { ShopStore } from './shop-store';

process.env.JWT_SECRET = 'the secret of this host, which has 32 bytes or more';

const AWA = { id: '1', email: 'awa@boutique.example', phone: '', disabled: false, shop: 'Boutique Awa' };

const refusals: string[] = [];
let server: Server;

beforeAll(async () => {
  const store = new ShopStore();
  await store.add({ ...AWA, marchand: { referencl: 'BTQ-1001', statut: 1 } }, 'baobab-2026');
  server = createApp(store, (code) => refusals.push(code)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => server.close());

beforeEach(() => refusals.splice(0));

async function send(method: string, path: string, token?: string, body?: object) {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as any };
}

async function logIn(): Promise<string> {
  const answer = await send('POST', '/login', undefined, { email: AWA.email, password: 'baobab-2026' });
  return answer.body.authorisation.token;
}

test('a merchant logs in and pays for its own reference', async () => {
  const answer = await send('POST', '/transactions', await logIn(), { refercence_cl: 'BTQ-1001', amount: 500 });
  expect(answer).toEqual({ status: 201, body: { referencl: 'BTQ-1001', shop: 'Boutique Awa', amount: 500 } });
});

test('a path parameter is checked on its route', async () => {
  const token = await logIn();
  const own = await send('GET', '/merchants/BTQ-1001/shop', token);
  expect(own).toEqual({ status: 200, body: { referencl: 'BTQ-1001', shop: 'Boutique Awa' } });
  const foreign = await send('GET', '/merchants/CNT-1002/shop', token);
  expect(foreign.status).toBe(403);
});

test("a foreign reference is refused, and the host's error handler hears of it", async () => {
  const answer = await send('POST', '/transactions', await logIn(), { refercence_cl: 'CNT-1002', amount: 500 });
  expect(answer).toMatchObject({ status: 403, body: { success: false, error: 'foreign_reference' } });
  expect(refusals).toEqual(['foreign_reference']);
});

test('a wrong password and a missing token are refused', async () => {
  const login = await send('POST', '/login', undefined, { email: AWA.email, password: 'another-one' });
  const description = 'The email or the password is wrong. Check both and log in again.';
  expect(login).toMatchObject({ status: 401, body: { message: 'Wrong email or password', description } });
  const unguarded = await send('POST', '/transactions');
  expect(unguarded.status).toBe(401);
  expect(refusals).toEqual(['wrong_credentials', 'missing_token']);
});

test('a token that is not one is an AuthError', () => {
  expect(() => createTokens().verify('not a token')).toThrow(AuthError);
});
