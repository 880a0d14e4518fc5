import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { Login } from '../../src/index.js';
import { MAX_INSIDE } from '../../src/queue/admission.js';
import type { LoginCredentials } from '../../src/login/check-arguments.js';
import { AWA, FERMEE, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import { ACCOUNT_DISABLED, INVALID_BODY, STORE_UNAVAILABLE, TOO_BUSY, WRONG_CREDENTIALS } from '../helpers/answers.js';
import { recordEvents } from '../helpers/events.js';
import { serveLogin } from '../helpers/login-host.js';
import { holdLogin, outcomeOfCall, requestFrom } from '../helpers/logins-in-progress.js';
import { quickAccountStore } from '../helpers/quick-passwords.js';
import { settle, until } from '../helpers/until.js';

const SHOP = '203.0.113.7';
const HALF = MAX_INSIDE / 2;

/** Starts identical logins, which wait as one and share one computation. The test has to hold it. */
function fillInside(login: Login, ip: string, count: number): Promise<string>[] {
  return Array.from({ length: count }, () => {
    return outcomeOfCall(login.attempt(requestFrom(ip), { identifier: AWA.email, password: PASSWORD }));
  });
}

describe('the logins inside a Login', () => {
  it('are checked before the body: a login beyond them gets 503 although it sent no body', async () => {
    const { client, login, quick } = await serveLogin({ throttle: false });
    const end = quick.hold();
    const inside = fillInside(login, '127.0.0.1', HALF);
    await until(() => quick.compared.length === 1);
    const events = recordEvents();
    const socket = connect(client.port, '127.0.0.1').setEncoding('utf8');
    let received = '';
    socket.on('data', (chunk: string) => (received += chunk));
    socket.write('POST /v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n');
    await until(() => received.includes('"description"'));
    socket.destroy();
    expect(received).to.match(/^HTTP\/1\.1 503 /);
    expect(received).to.match(/\r\nRetry-After: [2-8]\r\n/);
    expect(received).to.include(`"error":"${TOO_BUSY}"`);
    expect(events).to.have.length(1);
    expect(events[0]).to.include({ type: 'login_shed', source: '127.0.0.1', emailDigest: '', accountId: undefined });
    end();
    await Promise.all(inside);
  });

  it('are as many from one source as are free, and each ends once', async () => {
    const { login, attempt, end } = holdLogin();
    const inside = fillInside(login, SHOP, HALF);
    await settle();
    // The arguments are checked later.
    expect(await attempt('', '', SHOP)).to.equal(TOO_BUSY);
    inside.push(...fillInside(login, '203.0.113.8', HALF / 2));
    await settle();
    expect(await attempt('', '', '203.0.113.8')).to.equal(TOO_BUSY);
    expect(await attempt('', '', '203.0.113.9')).to.equal(INVALID_BODY);
    end();
    expect(new Set(await Promise.all(inside))).to.deep.equal(new Set(['good']));
    const again = holdLogin();
    const next = fillInside(login, SHOP, HALF);
    again.end();
    expect(new Set(await Promise.all(next))).to.deep.equal(new Set(['good']));
  });

  it('are counted when their body has arrived, and checked again', async () => {
    const { login, end } = holdLogin();
    let arrive: (credentials: LoginCredentials) => void = () => undefined;
    const body = new Promise<LoginCredentials>((resolve) => (arrive = resolve));
    const waiting = Array.from({ length: HALF }, () => outcomeOfCall(login.logIn(requestFrom(SHOP), () => body)));
    const inside = fillInside(login, SHOP, HALF);
    await settle();
    arrive({ identifier: KOFI.email, password: PASSWORD });
    expect(new Set(await Promise.all(waiting))).to.deep.equal(new Set([TOO_BUSY]));
    end();
    await Promise.all(inside);
  });

  it('end after every outcome, and leave the queue', async () => {
    const accounts = quickAccountStore();
    const { quick, login, attempt, end } = holdLogin({
      maxPendingLogins: 1,
      hashing: { maxConcurrentHashes: 2 },
      store: {
        findCredentials: (email) => (email === 'down' ? Promise.reject(new Error()) : accounts.findCredentials(email)),
      },
    });
    const inside = fillInside(login, SHOP, HALF - 1);
    await until(() => quick.compared.length === 1);
    quick.verify = (password) =>
      password === 'broken' ? Promise.reject(new Error('out of memory')) : Promise.resolve(password === PASSWORD);
    for (const [email, password, outcome] of [
      [KOFI.email, PASSWORD, 'good'],
      [KOFI.email, WRONG, WRONG_CREDENTIALS],
      [KOFI.email, 'broken', 'out of memory'],
      [FERMEE.email, PASSWORD, ACCOUNT_DISABLED],
      ['', '', INVALID_BODY],
      ['down', WRONG, STORE_UNAVAILABLE],
      [KOFI.email, PASSWORD, 'good'],
    ] as const) {
      expect(await attempt(email, password, SHOP)).to.equal(outcome);
    }
    end();
    await Promise.all(inside);
  });

  it('are refused 32 at a time in one turn of the event loop, and a login with another answer does not wait', async () => {
    const { login, attempt, end } = holdLogin();
    let answered = 0;
    const wrong = attempt(KOFI.email, WRONG, '203.0.113.8').then((code) => [code, answered]);
    const inside = fillInside(login, SHOP, HALF);
    await settle();
    const refused = Array.from({ length: 70 }, () => attempt('', '', SHOP).then(() => (answered += 1)));
    end();
    const counts: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await setImmediate();
      counts.push(answered);
    }
    expect(counts).to.deep.equal([32, 64, 70]);
    expect(await wrong).to.deep.equal([WRONG_CREDENTIALS, 0]);
    await Promise.all([...inside, ...refused]);
  });
});
