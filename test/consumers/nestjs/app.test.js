import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import serverlessExpress from '@codegenie/serverless-express';
import { Controller, Get, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { auditRoutes } from 'express-merchant-auth-audit';
import { Pool } from 'pg';
import { io } from 'socket.io-client';
import { AppModule } from './build/src/app.module.js';
import { AuthErrorFilter } from './build/src/auth-error.filter.js';
import { BearerGuard, Public } from './build/src/bearer-guard.js';
import { createApp } from './build/src/create-app.js';
import { PaymentsGateway } from './build/src/payments.gateway.js';
import { PostgresModule } from './build/src/postgres.module.js';
import { authProviders, TOKENS, USER_STORE } from './build/src/user-store.js';
import { seed } from './build/test/seed.js';
import { listen, send } from '../shared/cases.cjs';

const { TEST_DATABASE_URL } = process.env;
const skip = TEST_DATABASE_URL === undefined && 'TEST_DATABASE_URL is not set.';

const expressOf = (nest) => nest.getHttpAdapter().getInstance();

test('auditRoutes finds that the routes are not mounted before init', async () => {
  const { findings } = await auditRoutes(expressOf(await createApp()));
  assert.deepEqual(findings, ['the app: no route except the login']);
});

test('auditRoutes finds the routes of controllers without a guard', async () => {
  const nest = await NestFactory.create(AppModule, { bodyParser: false, logger: false });
  await nest.init();
  const { findings } = await auditRoutes(expressOf(nest));
  assert.deepEqual(findings, [
    'POST /v1/transactions: open',
    'GET /v1/transactions/:id: open',
    'GET /v1/merchants/:refercence_cl/balance: open',
  ]);
});

test('a merchant reads its own balance, and not that of another one', async () => {
  const nest = await createApp();
  await nest.init();
  const server = await listen(expressOf(nest));
  try {
    const token = nest.get(TOKENS).issue(await nest.get(USER_STORE).findById('BTQ-1001'));
    const read = async (reference) =>
      (await send(server, `/v1/merchants/${reference}/balance`, { method: 'GET', token })).status;
    assert.deepEqual([await read('BTQ-1001'), await read('CNT-1002')], [200, 403]);
  } finally {
    server.close();
  }
});

/** Decorates without the syntax of decorators, which Node.js does not have. */
function decorate(target, method, ...decorators) {
  const descriptor = method && Object.getOwnPropertyDescriptor(target.prototype, method);
  for (const each of decorators) each(method ? target.prototype : target, method, descriptor);
}

test('a global guard closes each route without @Public(), and its refusals are answered as those of the package', async () => {
  class Shop {
    rates() {
      return { XOF: 1 };
    }
    balance() {
      return { balance: 0 };
    }
  }
  decorate(Shop, undefined, Controller('shop'));
  decorate(Shop, 'rates', Get('rates'), Public());
  decorate(Shop, 'balance', Get(':refercence_cl/balance'));
  class Closed {}
  const providers = [...authProviders, { provide: APP_GUARD, useClass: BearerGuard }];
  decorate(Closed, undefined, Module({ controllers: [Shop], providers }));
  const nest = await NestFactory.create(Closed, { bodyParser: false, logger: false });
  nest.useGlobalFilters(new AuthErrorFilter());
  await nest.init();
  const server = await listen(expressOf(nest));
  try {
    const token = nest.get(TOKENS).issue(await nest.get(USER_STORE).findById('BTQ-1001'));
    const read = async (path, headers) => {
      const answer = await send(server, path, { method: 'GET', ...headers });
      return [answer.status, answer.body.error];
    };
    assert.deepEqual(await read('/shop/rates'), [200, undefined]);
    assert.deepEqual(await read('/shop/BTQ-1001/balance'), [401, 'missing_token']);
    assert.deepEqual(await read('/shop/BTQ-1001/balance', { token }), [200, undefined]);
    for (const path of ['/shop/BTQ-1001/balance?refercence_cl=CNT-1002', '/shop/CNT-1002/balance']) {
      assert.deepEqual(await read(path, { token }), [403, 'foreign_reference']);
    }
  } finally {
    server.close();
  }
});

test('a gateway of socket.io accepts a merchant with a token, and nobody else', async () => {
  class Sockets {}
  decorate(Sockets, undefined, Module({ providers: [...authProviders, PaymentsGateway] }));
  const nest = await NestFactory.create(Sockets, { logger: false });
  await nest.listen(0, '127.0.0.1');
  try {
    const token = nest.get(TOKENS).issue(await nest.get(USER_STORE).findById('BTQ-1001'));
    const connect = (extraHeaders) =>
      new Promise((resolve) => {
        const { port } = nest.getHttpServer().address();
        const socket = io(`http://127.0.0.1:${port}`, { extraHeaders, reconnection: false, forceNew: true });
        const end = (result) => resolve((socket.close(), result));
        socket.on('connect', () => end('connected')).on('connect_error', ({ message }) => end(message));
      });
    assert.equal(await connect({ authorization: `Bearer ${token}` }), 'connected');
    assert.equal(await connect({}), 'Token missing');
  } finally {
    await nest.close();
  }
});

test('the app takes payments behind an adapter of AWS Lambda', async () => {
  const nest = await createApp();
  await nest.init();
  const handler = serverlessExpress({ app: expressOf(nest) });
  const token = nest.get(TOKENS).issue(await nest.get(USER_STORE).findById('BTQ-1001'));
  const pay = async (refercence_cl) => {
    const http = { method: 'POST', path: '/v1/transactions', sourceIp: '203.0.113.7' };
    const result = await handler({
      version: '2.0',
      rawPath: http.path,
      rawQueryString: '',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      requestContext: { http },
      body: JSON.stringify({ refercence_cl, amount: 500 }),
    });
    return result.statusCode;
  };
  assert.deepEqual([await pay('BTQ-1001'), await pay('CNT-1002')], [201, 403]);
});

test('the module for PostgreSQL makes the store over its pool, and ends the pool', { skip }, async () => {
  const server = new Pool({ connectionString: TEST_DATABASE_URL });
  const name = `nestjs_${randomUUID().replaceAll('-', '')}`;
  await server.query(`CREATE DATABASE ${name}`);
  try {
    process.env.DATABASE_URL = Object.assign(new URL(TEST_DATABASE_URL), { pathname: name }).href;
    await assert.rejects(seed([]), { message: 'Set DATABASE_URL and TEST_DATABASE_URL to a database for tests.' });
    process.env.TEST_DATABASE_URL = process.env.DATABASE_URL;
    const nest = await NestFactory.createApplicationContext(PostgresModule, { logger: false });
    const pool = nest.get(Pool);
    await pool.query(readFileSync('docs/writing-a-store/shops.sql', 'utf8'));
    await seed([{ email: 'kofi@cantine.example', password: 'calebasse-2026', referencl: 'CNT-1002' }]);
    const { account } = await nest.get(USER_STORE).findCredentials('kofi@cantine.example');
    assert.equal(account.marchand.referencl, 'CNT-1002');
    await nest.close();
    assert.equal(pool.ended, true);
  } finally {
    await server.query(`DROP DATABASE ${name}`);
    await server.end();
  }
});
