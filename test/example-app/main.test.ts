import { once } from 'node:events';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { createTokens } from 'express-merchant-auth';
import { expect } from 'chai';
import {
  expectAccountDisabled,
  expectError,
  expectExpiredToken,
  expectForeignReference,
  expectInvalidToken,
} from '../helpers/answers.js';
import { type Answer, bearer } from '../helpers/http.js';
import { itWithSignals } from '../helpers/unavailable.js';
import { printedBy, SECRET, spawnApp, startApp } from './app-process.js';

type Headers = Readonly<Record<string, string>>;

const TRANSACTION = {
  refercence_cl: 'BTQ-1001',
  merchant_transaction_id: 'order-17',
  amount: 2500,
  currency: 'XOF',
};

const BY_AWA = { id: '1', marchand: { referencl: 'BTQ-1001', statut: 1 } };

async function send(port: number, method: string, path: string, headers: Headers = {}, body?: object): Promise<Answer> {
  const request = http.request({ host: 'localhost', port, method, path, headers });
  if (body !== undefined) request.setHeader('Content-Type', 'application/json');
  request.end(body && JSON.stringify(body));
  return answerTo(request);
}

async function answerTo(request: ClientRequest): Promise<Answer> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = await text(response);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: body,
    json: JSON.parse(body) as unknown,
  };
}

async function logIn(port: number): Promise<Headers> {
  const body = { email: 'awa@boutique.example', password: 'baobab-2026' };
  const answer = await send(port, 'POST', '/v1/login', {}, body);
  return bearer((answer.json as { authorisation: { token: string } }).authorisation.token);
}

/** Sends a transaction up to the middle of its body, and returns how to send the rest. */
async function sendHalf(port: number): Promise<() => Promise<Answer>> {
  const body = JSON.stringify(TRANSACTION);
  const headers = {
    ...bearer(createTokens({ secret: SECRET }).issue(BY_AWA)),
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    Expect: '100-continue',
  };
  const agent = new http.Agent({ keepAlive: true });
  const request = http.request({ host: 'localhost', port, method: 'POST', path: '/v1/transactions', headers, agent });
  request.on('error', () => undefined);
  request.flushHeaders();
  await once(request, 'continue');
  request.write(body.slice(0, 20));
  return () => answerTo(request.end(body.slice(20)));
}

/** Waits until nobody listens on the port. */
async function refused(port: number): Promise<void> {
  for (;;) {
    const socket = net.connect(port, 'localhost');
    try {
      await once(socket, 'connect');
    } catch {
      return;
    } finally {
      socket.destroy();
    }
  }
}

describe('example-app: the process', () => {
  itWithSignals('prints the address on which it accepts connections, a first call, and why it stops', async () => {
    const { port, child, ending } = await startApp();
    const answer = await send(port, 'GET', '/healthz');
    expect(answer.status).to.equal(200);
    child.kill('SIGTERM');
    expect(await ending).to.deep.equal({
      code: 0,
      signal: null,
      stdout: printedBy(port, 'SIGTERM'),
      stderr: '',
    });
  });

  it('logs in, accepts a transaction with the own reference, and refuses another reference', async () => {
    const { port } = await startApp();
    const awa = await logIn(port);
    const created = await send(port, 'POST', '/v1/transactions', awa, TRANSACTION);
    expect(created.status).to.equal(201);
    const { transaction } = created.json as { transaction: { id: string; created_at: string } };
    expect(created.json).to.deep.equal({
      status: 'INITIATED',
      success: true,
      code: 201,
      message: 'Transaction initiated',
      transaction: { ...TRANSACTION, id: transaction.id, status: 'INITIATED', created_at: transaction.created_at },
    });
    const found = await send(port, 'GET', String(created.headers.location), awa);
    expect(found.json).to.deep.include({ code: 200, transaction });
    const foreign = { ...TRANSACTION, refercence_cl: 'CNT-1002' };
    expectForeignReference(await send(port, 'POST', '/v1/transactions', awa, foreign));
  });

  it('refuses the disabled account', async () => {
    const { port } = await startApp();
    const body = { email: 'fermee@ancien.example', password: 'fermeture-2026' };
    expectAccountDisabled(await send(port, 'POST', '/v1/login', {}, body));
  });

  it('accepts tokens that JWT_SECRET has signed, and refuses expired and tampered ones', async () => {
    const { port } = await startApp();
    const good = createTokens({ secret: SECRET }).issue(BY_AWA);
    expect((await send(port, 'GET', '/v1/transactions', bearer(good))).status).to.equal(200);

    const expired = createTokens({ secret: SECRET, clock: () => Date.now() - 18_000_000 }).issue(BY_AWA);
    expectExpiredToken(await send(port, 'GET', '/v1/transactions', bearer(expired)));

    const [header, payload = '', signature] = good.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const tampered = Buffer.from(JSON.stringify({ ...claims, sub: '2' })).toString('base64url');
    expectInvalidToken(await send(port, 'GET', '/v1/transactions', bearer(`${header}.${tampered}.${signature}`)));
  });

  it('signs with the first of JWT_KEYS and accepts tokens of all of them', async () => {
    const keys = ['2026-11', '2026-05'].map((kid) => ({
      kid,
      algorithm: 'HS256' as const,
      secret: `${kid} ${SECRET}`,
    }));
    const { port } = await startApp({ JWT_KEYS: JSON.stringify(keys) });
    for (const key of keys) {
      const token = createTokens({ keys: [key] }).issue(BY_AWA);
      expect((await send(port, 'GET', '/v1/transactions', bearer(token))).status).to.equal(200);
    }
    const { Authorization = '' } = await logIn(port);
    const [header = ''] = Authorization.slice('Bearer '.length).split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).to.deep.include({ kid: '2026-11' });
    const ofSecret = createTokens({ secret: SECRET }).issue(BY_AWA);
    expectInvalidToken(await send(port, 'GET', '/v1/transactions', bearer(ofSecret)));
  });

  it('answers an unknown route with 404 in the layout', async () => {
    const { port } = await startApp();
    const description = 'There is no such route.';
    const expected = { code: 404, error: 'not_found', message: 'Not found', description };
    expectError(await send(port, 'GET', '/no/such/route'), expected);
    expectError(await send(port, 'GET', '/v1/no/such/route', await logIn(port)), expected);
  });

  for (const [title, JWT_SECRET] of [
    ['unset', undefined],
    ['empty', ''],
  ] as const) {
    itWithSignals(`signs with a random secret and warns when JWT_SECRET is ${title}`, async () => {
      const first = await startApp({ JWT_SECRET });
      const second = await startApp({ JWT_SECRET });
      const awa = await logIn(first.port);
      expect((await send(first.port, 'GET', '/v1/transactions', awa)).status).to.equal(200);
      expectInvalidToken(await send(second.port, 'GET', '/v1/transactions', awa));
      first.child.kill('SIGTERM');
      expect(await first.ending).to.deep.equal({
        code: 0,
        signal: null,
        stdout: printedBy(first.port, 'SIGTERM'),
        stderr: 'JWT_SECRET is not set: the tokens are signed with a random secret and end with this ' + 'process.\n',
      });
    });
  }

  it('says in one line that the port is taken, and exits with 1', async () => {
    const { port } = await startApp();
    const { code, stdout, stderr } = await spawnApp({ PORT: String(port), JWT_SECRET: '' }).ending;
    expect(code).to.equal(1);
    expect(stdout).to.equal('');
    expect(stderr).to.match(
      new RegExp(`^Cannot start: [^\\n]*address already in use [^\\n]*:${port}\\. Set PORT to another port\\.\\n$`),
    );
  });

  it('says in one line that PORT is not a port, and exits with 1', async () => {
    const { code, stdout, stderr } = await spawnApp({ PORT: 'http', JWT_SECRET: '' }).ending;
    expect(code).to.equal(1);
    expect(stdout).to.equal('');
    expect(stderr).to.equal('Cannot start: PORT must be a whole number from 0 to 65535.\n');
  });

  it('says in one line that JWT_SECRET is weak, without showing it, and exits with 1', async () => {
    const { code, stdout, stderr } = await spawnApp({ JWT_SECRET: 'baobab' }).ending;
    expect(code).to.equal(1);
    expect(stdout).to.equal('');
    expect(stderr).to.match(/^Cannot start: [^\n]* at least 32 bytes[^\n]*\n$/);
    expect(stderr).not.to.include('baobab');
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    itWithSignals(`stops accepting on ${signal}, answers the request in flight, and exits with 0`, async () => {
      const { port, child, ending } = await startApp();
      const sendRest = await sendHalf(port);
      child.kill(signal);
      await refused(port);
      const answer = await sendRest();
      expect(answer.status).to.equal(201);
      expect(answer.headers.connection).to.equal('close');
      expect(answer.json).to.deep.include({ success: true, message: 'Transaction initiated' });
      expect(await ending).to.include({ code: 0, signal: null, stderr: '' });
    });
  }

  itWithSignals('is not ready while it drains', async () => {
    const { port, child, ending } = await startApp();
    const agent = new http.Agent({ keepAlive: true });
    const ask = () => answerTo(http.get({ host: 'localhost', port, path: '/readyz', agent }));
    expect((await ask()).status).to.equal(200);
    const sendRest = await sendHalf(port);
    child.kill('SIGTERM');
    await refused(port);
    const answer = await ask();
    const description = 'This process is stopping.';
    const expected = { code: 503, error: 'not_ready', message: 'Not ready', description };
    expectError(answer, expected, { 'retry-after': '5' });
    expect(answer.headers.connection).to.equal('close');
    expect((await sendRest()).status).to.equal(201);
    expect(await ending).to.include({ code: 0, signal: null, stderr: '' });
  });

  itWithSignals('treats two signals at once as one, because npm and a terminal send one each', async () => {
    const { port, child, ending } = await startApp();
    const sendRest = await sendHalf(port);
    child.kill('SIGINT');
    child.kill('SIGTERM');
    await refused(port);
    expect((await sendRest()).status).to.equal(201);
    expect(await ending).to.include({ code: 0, signal: null });
  });

  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    itWithSignals(`exits at once with ${code} on a second ${signal}, whatever is in flight`, async () => {
      const { port, child, ending } = await startApp();
      await sendHalf(port);
      child.kill(signal);
      while (child.exitCode === null && child.signalCode === null) {
        await refused(port);
        child.kill(signal);
      }
      expect(await ending).to.include({ code, signal: null, stderr: '' });
    });
  }
});
