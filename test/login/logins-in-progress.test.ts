import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { AuthEvent } from '../../src/index.js';
import { AuthError } from '../../src/errors/auth-error.js';
import { LoginsInProgress } from '../../src/login/logins-in-progress.js';
import { AWA, FERMEE, KOFI, PASSWORD } from '../helpers/accounts.js';
import {
  expectAccountDisabled,
  expectMalformedAccount,
  expectStoreUnavailable,
  expectTooBusy,
  expectTooManyAttempts,
  expectWrongCredentials,
} from '../helpers/answers.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { withoutMembers } from '../helpers/events.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { expectAuthError, rejectionOf } from '../helpers/thrown.js';
import { until } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';

const BODY = JSON.stringify({ email: AWA.email, password: PASSWORD });

const opened: Socket[] = [];
afterEach('close the connections', () => {
  for (const socket of opened.splice(0)) socket.destroy();
});

const endless = () => new Promise<never>(() => undefined);

const from = (address: string) => () => address;

describe('LoginsInProgress', () => {
  it('refuses logins beyond the limit, and beyond half of it from one source', async () => {
    const inProgress = new LoginsInProgress(4);
    for (let login = 0; login < 2; login++) void inProgress.run('one', endless);
    expectAuthError(await rejectionOf(inProgress.admit(from('one'))), 'too_busy');
    for (const address of ['two', 'three']) {
      await inProgress.admit(from(address));
      void inProgress.run(address, endless);
    }
    expectAuthError(await rejectionOf(inProgress.admit(from('four'))), 'too_busy');
  });

  it('asks for the source only while one source can have half of the limit', async () => {
    const inProgress = new LoginsInProgress(4);
    let asked = 0;
    const address = () => `address ${(asked += 1)}`;
    await inProgress.admit(address);
    void inProgress.run('one', endless);
    await inProgress.admit(address);
    expect(asked).to.equal(0);
    void inProgress.run('two', endless);
    await inProgress.admit(address);
    expect(asked).to.equal(1);
    for (const other of ['three', 'four']) void inProgress.run(other, endless);
    expectAuthError(await rejectionOf(inProgress.admit(address)), 'too_busy');
    expect(asked).to.equal(1);
  });

  it('runs a login of a source again when another one of that source ends', async () => {
    const inProgress = new LoginsInProgress(4);
    let end: () => void = () => undefined;
    const first = inProgress.run('one', () => new Promise<void>((resolve) => (end = resolve)));
    void inProgress.run('one', endless);
    expectAuthError(await rejectionOf(inProgress.admit(from('one'))), 'too_busy');
    end();
    await first;
    await inProgress.admit(from('one'));
  });

  it('does not run a login that it refuses', async () => {
    const inProgress = new LoginsInProgress(2);
    void inProgress.run('one', endless);
    let runs = 0;
    const refused = inProgress.run('one', () => Promise.resolve(++runs));
    expectAuthError(await rejectionOf(refused), 'too_busy');
    expect(runs).to.equal(0);
  });

  it('counts a login until it ends, also one that rejects or throws', async () => {
    const inProgress = new LoginsInProgress(2);
    const reason = new Error('down');
    const throwing = () => {
      throw reason;
    };
    for (let round = 0; round < 3; round++) {
      expect(await inProgress.run('one', () => Promise.resolve('done'))).to.equal('done');
      expect(await rejectionOf(inProgress.run('one', () => Promise.reject(reason)))).to.equal(reason);
      expect(await rejectionOf(inProgress.run('one', throwing))).to.equal(reason);
    }
    await inProgress.admit(from('one'));
  });

  it('does not count a login that is only admitted, so that a caller without a body occupies nothing', async () => {
    const inProgress = new LoginsInProgress(2);
    for (let connection = 0; connection < 1_000; connection++) await inProgress.admit(from('one'));
  });

  it('releases 32 refusals in one turn of the event loop', async () => {
    const inProgress = new LoginsInProgress(2);
    void inProgress.run('one', endless);
    let released = 0;
    const refuse = () => void inProgress.admit(from('one')).catch(() => (released += 1));
    for (let refusal = 0; refusal < 70; refusal++) refuse();
    const counts: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await setImmediate();
      counts.push(released);
    }
    expect(counts).to.deep.equal([32, 64, 70]);
    refuse();
    await setImmediate();
    expect(released).to.equal(71);
  });

  it('counts a login without a place until it is refused, so that the next one is refused before its body', async () => {
    const inProgress = new LoginsInProgress(2);
    const noPlace = new AuthError('too_busy');
    const refused = ['one', 'two'].map((address) => inProgress.run(address, () => Promise.reject(noPlace)));
    const outcomes = refused.map(rejectionOf);
    // Waits until the end of this turn.
    for (let tick = 0; tick < 10; tick++) await Promise.resolve();
    const admitted = rejectionOf(inProgress.admit(from('three')));
    expect(await Promise.all(outcomes)).to.deep.equal([noPlace, noPlace]);
    expectAuthError(await admitted, 'too_busy');
    await inProgress.admit(from('three'));
  });
});

onEachExpress('maxLoginsInProgress', ({ auth, express }) => {
  /** A host whose throttle can hold logins, so that they are in progress and have no place yet. */
  async function serveLogin(
    maxLoginsInProgress: number,
    userStore = quickAccountStore(),
    trustProxy: string | false = 'loopback',
  ) {
    const control = controlledThrottle(auth.createLoginThrottle);
    const quick = quickPasswords(auth.createPasswords);
    const app = express();
    app.set('trust proxy', trustProxy);
    const host = { arrived: 0 };
    app.use((_req, _res, next) => {
      host.arrived += 1;
      next();
    });
    const options = { passwords: quick.passwords, throttle: control.throttle, maxLoginsInProgress };
    app.use('/v1', auth.createLoginRouter(userStore, options));
    app.use(auth.authErrorHandler({ log: () => undefined }));
    const client = await serve(app);
    const logIn = (address: string, email = AWA.email, password = PASSWORD) =>
      client.send('POST', '/v1/login', { body: { email, password }, headers: { 'X-Forwarded-For': address } });
    /** The number of logins that the throttle holds. */
    const inProgress = () => control.calls.filter(({ counter }) => counter === 'email').length;
    const hold = () => {
      // Otherwise the throttle counts in memory after 250 ms.
      freezeTime();
      let end: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (end = resolve));
      control.before = () => held;
      return end;
    };
    return { client, host, control, quick, logIn, hold, inProgress };
  }

  it('bounds the logins in progress, before the throttle is read (ASVS 2.4.1)', async () => {
    const { control, logIn, hold, inProgress } = await serveLogin(4);
    const end = hold();
    const inside = [1, 2, 3, 4].map((host) => logIn(`203.0.113.${host}`));
    await until(() => inProgress() === 4);
    const { length } = control.calls;
    expectTooBusy(await logIn('203.0.113.5'));
    expectTooBusy(await logIn('203.0.113.6', KOFI.email, 'not the password'));
    expect(control.calls).to.have.length(length);
    end();
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
    expect((await logIn('203.0.113.5')).status).to.equal(200);
  });

  /** Opens a connection that sends the headers of a login from an address, and no body. */
  function open(port: number, address: string, headers: readonly string[] = []) {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.on('error', () => undefined);
    opened.push(socket);
    let received = '';
    socket.on('data', (chunk: string) => (received += chunk));
    const type = headers.length > 0 ? headers : ['Content-Type: application/json', `Content-Length: ${BODY.length}`];
    const lines = ['POST /v1/login HTTP/1.1', 'Host: localhost', `X-Forwarded-For: ${address}`, ...type, '', ''];
    socket.write(lines.join('\r\n'));
    return { socket, received: () => received };
  }

  it('is checked before the body: a burst beyond it is answered 503 although no body was sent', async () => {
    const { client, control, logIn, hold, inProgress } = await serveLogin(4);
    const end = hold();
    const inside = [1, 2, 3, 4].map((host) => logIn(`203.0.113.${host}`));
    await until(() => inProgress() === 4);
    const { length } = control.calls;
    const events: AuthEvent[] = [];
    const stop = auth.onAuthEvent((event) => events.push(event));
    for (const headers of [[], ['Content-Type: text/plain', 'Content-Length: 5'], ['Transfer-Encoding: chunked']]) {
      const { received } = open(client.port, '203.0.113.5', headers);
      await until(() => received().includes('"description"'));
      expect(received()).to.match(/^HTTP\/1\.1 503 /);
      expect(received()).to.match(/\r\nRetry-After: [2-8]\r\n/);
      expect(received()).to.include('"error":"too_busy"');
    }
    stop();
    const shed = {
      type: 'login_shed',
      realm: 'merchant',
      source: '203.0.113.5',
      emailDigest: '',
      accountId: undefined,
    };
    expect(events.map((event) => withoutMembers(event, 'time'))).to.deep.equal([shed, shed, shed]);
    expect(control.calls).to.have.length(length);
    end();
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
  });

  it('does not count connections that send headers and no body: a merchant still logs in', async () => {
    const { client, host, logIn } = await serveLogin(4);
    const connections = Array.from({ length: 1_000 }, () => open(client.port, '203.0.113.5'));
    await until(() => host.arrived === 1_000);
    expect((await logIn('203.0.113.5')).status).to.equal(200);
    expect((await logIn('203.0.113.6')).status).to.equal(200);
    expect(connections.filter(({ received }) => received() !== '')).to.deep.equal([]);
  });

  it('is checked again when the body has arrived', async () => {
    const { client, host, control, logIn, hold, inProgress } = await serveLogin(4);
    const end = hold();
    const admitted = open(client.port, '203.0.113.5');
    await until(() => host.arrived === 1);
    const inside = [1, 2, 3, 4].map((host) => logIn(`203.0.113.${host}`));
    await until(() => inProgress() === 4);
    const { length } = control.calls;
    expect(admitted.received()).to.equal('');
    admitted.socket.write(BODY);
    await until(() => admitted.received().includes('"description"'));
    expect(admitted.received()).to.match(/^HTTP\/1\.1 503 /);
    expect(admitted.received()).to.include('"error":"too_busy"');
    expect(control.calls).to.have.length(length);
    end();
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
  });

  it('delays the answers of a burst: at most 32 in one turn of the event loop', async () => {
    freezeTime();
    const control = controlledThrottle(auth.createLoginThrottle);
    const { passwords } = quickPasswords(auth.createPasswords);
    const options = { passwords, throttle: control.throttle, maxLoginsInProgress: 2 };
    const login = auth.createLogin(quickAccountStore(), options);
    let turn = 0;
    const answersInTurn = new Map<number, number>();
    const app = express();
    const router = auth.createLoginRouter(login, {
      respond(_error, _req, res) {
        answersInTurn.set(turn, (answersInTurn.get(turn) ?? 0) + 1);
        res.status(503).end();
      },
    });
    app.use('/v1', router);
    const { port } = await serve(app);
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    control.before = () => held;
    const credentials = { identifier: AWA.email, password: PASSWORD };
    const inside = ['127.0.0.1', '203.0.113.1'].map((ip) => {
      return login.attempt({ headers: {}, ip } as unknown as IncomingMessage, credentials);
    });
    // Pipelined, so that all of them arrive in one turn.
    const request = `POST /v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`;
    const socket = connect(port, '127.0.0.1').resume();
    opened.push(socket);
    socket.write(request.repeat(100));
    let answered = 0;
    while (answered < 100) {
      await setImmediate();
      turn += 1;
      answered = [...answersInTurn.values()].reduce((sum, count) => sum + count, 0);
    }
    expect([...answersInTurn.values()]).to.deep.equal([32, 32, 32, 4]);
    end();
    for (const { account } of await Promise.all(inside)) expect(account).to.include({ id: AWA.id });
  });

  it('delays the rejections of attempt in the same way, for hosts with their own route', async () => {
    freezeTime();
    const control = controlledThrottle(auth.createLoginThrottle);
    const { passwords } = quickPasswords(auth.createPasswords);
    const options = { passwords, throttle: control.throttle, maxLoginsInProgress: 2 };
    const login = auth.createLogin(quickAccountStore(), options);
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    control.before = () => held;
    const attempt = () => {
      const req = { headers: {}, ip: '203.0.113.1' } as unknown as IncomingMessage;
      return login.attempt(req, { identifier: AWA.email, password: PASSWORD });
    };
    const inside = attempt();
    let rejected = 0;
    for (let refusal = 0; refusal < 70; refusal++) attempt().catch(() => (rejected += 1));
    const counts: number[] = [];
    while (rejected < 70) {
      await setImmediate();
      counts.push(rejected);
    }
    expect(counts.filter((count) => count > 0)).to.deep.equal([32, 64, 70]);
    end();
    expect((await inside).account).to.include({ id: AWA.id });
  });

  it('gives one source half of them, where all addresses of an IPv6 network are one source', async () => {
    const { logIn, hold, inProgress } = await serveLogin(4);
    const end = hold();
    const inside = [logIn('2001:db8:0:7::1'), logIn('2001:db8:0:7::2')];
    await until(() => inProgress() === 2);
    expectTooBusy(await logIn('2001:db8:0:7:ffff::3'));
    inside.push(logIn('203.0.113.1'), logIn('2001:db8:0:8::1'));
    await until(() => inProgress() === 4);
    end();
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
  });

  it('is 2,000 by default, of which one source gets 1,000', async () => {
    freezeTime();
    const control = controlledThrottle(auth.createLoginThrottle);
    const { passwords } = quickPasswords(auth.createPasswords);
    const login = auth.createLogin(quickAccountStore(), { passwords, throttle: control.throttle });
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    control.before = () => held;
    const failure = (ip: string) => {
      const req = { headers: {}, ip } as unknown as IncomingMessage;
      return rejectionOf(login.attempt(req, { identifier: AWA.email, password: 'not the password' }));
    };
    const inside = Array.from({ length: 1_000 }, () => failure('203.0.113.1'));
    expect(await failure('203.0.113.1')).to.include({ code: 'too_busy' });
    for (let source = 0; source < 1_000; source++) {
      inside.push(failure(`198.51.${Math.trunc(source / 250)}.${source % 250}`));
    }
    expect(await failure('192.0.2.1')).to.include({ code: 'too_busy' });
    expect(control.calls.filter(({ counter }) => counter === 'email')).to.have.length(2_000);
    end();
    await Promise.all(inside);
  });

  it('counts a login no longer after a success, a refusal and a failure', async () => {
    freezeTime();
    const store = quickAccountStore();
    const faulty: { findCredentials: () => unknown } = { findCredentials: () => undefined };
    const { quick, logIn } = await serveLogin(2, {
      findById: (id) => store.findById(id),
      findCredentials: (email) =>
        email === 'faulty@boutique.example'
          ? (faulty.findCredentials() as Promise<null>)
          : store.findCredentials(email),
    });
    const { verify } = quick;
    const [address, faultyEmail] = ['203.0.113.1', 'faulty@boutique.example'];
    for (let round = 0; round < 3; round++) {
      expect((await logIn(address)).status).to.equal(200);
      expectWrongCredentials(await logIn(address, AWA.email, 'not the password'));
      expectAccountDisabled(await logIn(address, FERMEE.email));
      faulty.findCredentials = () => Promise.reject(new Error('down'));
      expectStoreUnavailable(await logIn(address, faultyEmail));
      faulty.findCredentials = () => Promise.resolve(undefined);
      expectMalformedAccount(await logIn(address, faultyEmail));
      quick.verify = () => Promise.reject(new Error('out of memory'));
      expect((await logIn(address)).status).to.equal(500);
      quick.verify = verify;
    }
    for (let failure = 0; failure < 10; failure++) {
      expectWrongCredentials(await logIn(address, KOFI.email, 'not the password'));
    }
    for (let time = 0; time < 3; time++) expectTooManyAttempts(await logIn(address, KOFI.email), 900);
    expect((await logIn(address)).status).to.equal(200);
  });

  it('counts by the address of the peer while the source is undetermined', async () => {
    collectWarnings();
    const { logIn, hold, inProgress } = await serveLogin(4, quickAccountStore(), false);
    const end = hold();
    const inside = [logIn('203.0.113.1'), logIn('203.0.113.2')];
    await until(() => inProgress() === 2);
    expectTooBusy(await logIn('203.0.113.3'));
    end();
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
  });

  it('belongs to one Login: another Login with the same throttle and passwords has a separate limit', async () => {
    freezeTime();
    const control = controlledThrottle(auth.createLoginThrottle);
    const { passwords } = quickPasswords(auth.createPasswords);
    const options = { passwords, throttle: control.throttle, maxLoginsInProgress: 2 };
    const [one, other] = [1, 2].map(() => auth.createLogin(quickAccountStore(), options));
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    control.before = () => held;
    const req = { headers: {}, ip: '203.0.113.1' } as unknown as IncomingMessage;
    const credentials = { identifier: AWA.email, password: PASSWORD };
    const inside = one?.attempt(req, credentials);
    expect(await rejectionOf(one?.attempt(req, credentials) ?? held)).to.include({ code: 'too_busy' });
    const beside = other?.attempt(req, credentials);
    end();
    for (const result of await Promise.all([inside, beside])) expect(result?.account).to.include({ id: AWA.id });
  });
});
