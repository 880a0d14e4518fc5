import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import express from 'express';
import * as auth from 'express-merchant-auth';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { AWA, createApp, KOFI, tokens } from './host.js';
import { listen, send } from '../../shared/cases.cjs';

const logIn = (server, { email, password }) => send(server, '/v1/login', { body: JSON.stringify({ email, password }) });

/** Serves an app while `use` runs. */
async function serving(app, use) {
  const server = await listen(app);
  try {
    await use(server);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Writes a request to a new socket. Resolves to the socket, whose text is then all that it received. */
async function write(server, request) {
  const socket = net.connect(server.address().port, '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  socket.text = '';
  socket.on('data', (part) => (socket.text += part)).on('error', () => undefined);
  if (request) socket.write(request);
  return socket;
}

for (const [algorithm, form] of [
  ['argon2id', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/],
  ['bcrypt', /^\$2y\$12\$/],
]) {
  test(`hashes and verifies passwords with ${algorithm}`, async () => {
    const passwords = auth.createPasswords({ algorithm });
    const hash = await passwords.hash('baobab-2026');
    assert.match(hash, form);
    assert.deepEqual(
      [await passwords.verify('baobab-2026', hash), await passwords.verify('calebasse-2026', hash)],
      [true, false],
    );
  });
}

test('signs with a private key, verifies with the public key, and publishes only that', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { kid: 'a', algorithm: 'ES256', publicKey };
  const token = auth.createTokens({ keys: [{ ...key, privateKey }] }).issue(AWA);
  const verifier = auth.createTokens({ keys: [key] });
  assert.equal(verifier.verify(token).sub, AWA.id);
  assert.deepEqual(verifier.jwks(), {
    keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'ES256', use: 'sig' }],
  });
  const forged = auth.createTokens({ keys: [{ ...key, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) }] });
  assert.throws(() => verifier.verify(forged.issue(AWA)), { name: 'AuthError', message: 'Token not valid' });
});

const { TEST_REDIS_URL, CI } = process.env;
test(
  'counts wrong passwords of two processes in Redis',
  { skip: !TEST_REDIS_URL && !CI && 'needs TEST_REDIS_URL' },
  async () => {
    const storeClient = new Redis(TEST_REDIS_URL);
    const prefix = `ema-test-${randomUUID()}`;
    const limiter = (options) =>
      new RateLimiterRedis({ ...options, keyPrefix: `${prefix}:${options.keyPrefix}`, storeClient });
    const digestKey = Buffer.alloc(32, 7);
    const [one, two] = [1, 2].map(() => createApp({ digestKey, throttle: auth.createLoginThrottle({ limiter }) }));
    try {
      await serving(one, (first) =>
        serving(two, async (second) => {
          const statuses = [];
          for (let guess = 0; guess < 11; guess += 1) {
            const { status } = await logIn(guess % 2 ? first : second, { ...AWA, password: `wrong-${guess}` });
            statuses.push(status);
          }
          assert.deepEqual(statuses, [...Array(10).fill(401), 429]);
          assert.equal((await logIn(first, AWA)).status, 429);
          assert.equal((await logIn(first, KOFI)).status, 200);
        }),
      );
    } finally {
      const names = [];
      for await (const some of storeClient.scanStream({ match: `${prefix}*` })) names.push(...some);
      assert.notEqual(names.length, 0);
      await storeClient.del(...names);
      await storeClient.quit();
    }
  },
);

test('reads the accounts of requests that arrive together in one call, and crosses neither accounts nor contexts', async () => {
  const context = new AsyncLocalStorage();
  const calls = [];
  const userStore = {
    findCredentials: async () => null,
    async findById(id) {
      return (await this.findByIds([id]))[0] ?? null;
    },
    async findByIds(ids) {
      calls.push({ ids, context: context.getStore() });
      return [AWA, KOFI].filter(({ id }) => ids.includes(id));
    },
  };
  const app = express();
  app.use((req, res, next) => context.run(req.headers['x-request'], next));
  app.use(auth.requireBearer({ userStore, tokens }));
  app.get('/me', (req, res) => res.json([auth.merchantOf(req).id, context.getStore()]));
  app.use(auth.authErrorHandler());

  await serving(app, async (server) => {
    const callers = Array.from({ length: 40 }, (_, number) => (number % 2 ? AWA : KOFI));
    const sockets = await Promise.all(callers.map(() => write(server)));
    const ask = async (connection) => {
      const answers = sockets.map((socket) => once(socket, connection === 'close' ? 'close' : 'data'));
      sockets.forEach((socket, number) => {
        const headers = `Connection: ${connection}\r\nAuthorization: Bearer ${tokens.issue(callers[number])}`;
        socket.text = '';
        socket.write(`GET /me HTTP/1.1\r\nHost: a\r\n${headers}\r\nX-Request: ${number}\r\n\r\n`);
      });
      await Promise.all(answers);
    };
    await ask('keep-alive'); // accepts the connections
    calls.length = 0;
    await ask('close');
    const answers = sockets.map(({ text }) => text.slice(text.indexOf('\r\n\r\n') + 4));
    assert.deepEqual(
      answers,
      callers.map(({ id }, number) => JSON.stringify([id, String(number)])),
    );
    assert.ok(calls.some(({ ids }) => ids.length === 2) && calls.length < 10, `${calls.length} calls for 40 requests`);
    assert.deepEqual(
      calls.filter((call) => call.context !== undefined),
      [],
    );
  });
});

test('rejects a login with an AbortError when its caller disconnects, and answers the next one', async () => {
  const memory = new auth.InMemoryUserStore([AWA]);
  const steps = new EventEmitter();
  const userStore = {
    findById: (id) => memory.findById(id),
    async findCredentials(email) {
      steps.emit('asked');
      await once(steps, 'answer');
      return memory.findCredentials(email);
    },
  };
  const login = auth.createLogin(userStore, { tokens });
  const errors = [];
  const app = express().use(express.json());
  app.post('/v1/login', (req, res, next) => {
    const left = once(res, 'close');
    login.attempt(req, { identifier: req.body.email, password: req.body.password }).then(
      ({ account }) => res.json(account.id),
      (error) => {
        errors.push(error.name);
        next(error);
      },
    );
    void left.then(() => steps.emit('left'));
  });
  app.use(auth.authErrorHandler({ log: (error) => errors.push(error) }));

  await serving(app, async (server) => {
    const body = JSON.stringify({ email: AWA.email, password: AWA.password });
    const [asked, left] = [once(steps, 'asked'), once(steps, 'left')];
    const head = `POST /v1/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    const socket = await write(server, `${head}\r\n\r\n${body}`);
    await asked;
    socket.destroy();
    await left;
    const next = logIn(server, AWA);
    await once(steps, 'asked');
    steps.emit('answer');
    assert.equal((await next).body, AWA.id);
    assert.deepEqual(errors, ['AbortError']);
  });
});

test('refuses a body over the limit before it has arrived, and closes the connection', async () => {
  await serving(createApp(), async (server) => {
    const token = `Authorization: Bearer ${tokens.issue(AWA)}`;
    const head = `POST /v1/transactions HTTP/1.1\r\nHost: a\r\n${token}\r\nContent-Type: application/json`;
    const socket = await write(server, `${head}\r\nContent-Length: 10000000\r\n\r\n{"a":"`);
    await once(socket, 'close');
    const [start, body] = socket.text.split('\r\n\r\n');
    assert.match(start, /^HTTP\/1\.1 400 /);
    assert.match(start, /^Connection: close$/im);
    assert.match(JSON.parse(body).description, /^The body is larger than /);
  });
});

test('reports logins and refusals, in the context of the request', async () => {
  const context = new AsyncLocalStorage();
  const events = [];
  const stop = auth.onAuthEvent(({ type, source }) => events.push([type, source, context.getStore()]));
  const app = express().use((req, res, next) => context.run(req.path, next), createApp());
  await serving(app, async (server) => {
    await logIn(server, AWA);
    await logIn(server, { ...AWA, password: 'calebasse-2026' });
    await send(server, '/v1/transactions', { body: '{}' });
  });
  stop();
  assert.deepEqual(events, [
    ['login_succeeded', '127.0.0.1', '/v1/login'],
    ['login_failed', '127.0.0.1', '/v1/login'],
    ['token_refused', '127.0.0.1', '/v1/transactions'],
  ]);
});
