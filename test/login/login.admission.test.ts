import { connect } from 'node:net';
import { expect } from 'chai';
import { AuthError, createLogin, createPasswords, type LoginOptions, type UserStore } from '../../src/index.js';
import { IN_PROGRESS, MAX_ESTIMATED_WAIT_MS } from '../../src/login/admission.js';
import type { LoginCredentials } from '../../src/login/login-credentials.js';
import { AWA, FERMEE, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import { expectTooBusy, TOO_BUSY } from '../helpers/answers.js';
import { setComputationTimes } from '../helpers/computation-times.js';
import { recordEvents } from '../helpers/events.js';
import type { Answer } from '../helpers/http.js';
import { serveLogin } from '../helpers/login-host.js';
import { fillHalf, requestFrom } from '../helpers/logins-in-progress.js';
import { quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { settle, until } from '../helpers/until.js';

const SHOP = '203.0.113.7';

/** Resolves to the code of the refusal, to the message of another error, or to "good". */
function outcomeOf(login: Promise<unknown>): Promise<string> {
  return login.then(
    () => 'good',
    (error: unknown) => (error instanceof AuthError ? error.code : (error as Error).message),
  );
}

/** A login whose comparisons the test holds. Two of them run at a time. */
function holdLogin(options: LoginOptions = {}, store: Partial<UserStore> = {}) {
  const quick = quickPasswords(createPasswords, { maxConcurrentHashes: 2 });
  const userStore = { ...quickAccountStore(), ...store };
  const login = createLogin(userStore, { passwords: quick.passwords, throttle: false, ...options });
  const attempt = (identifier: string, password = PASSWORD, ip = SHOP) =>
    outcomeOf(login.attempt(requestFrom(ip), { identifier, password }));
  return { quick, login, userStore, attempt, end: quick.hold() };
}

describe('the logins in progress of a Login', () => {
  it('are checked before the body: a login beyond them gets 503 although it sent no body', async () => {
    const { client, login, quick } = await serveLogin({ throttle: false });
    const end = quick.hold();
    const inside = fillHalf(login, '127.0.0.1');
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

  it('are checked before the arguments of attempt', async () => {
    const { login, attempt, end } = holdLogin();
    const inside = fillHalf(login, SHOP);
    await settle();
    expect(await attempt('', '')).to.equal(TOO_BUSY);
    end();
    await Promise.all(inside);
    expect(await attempt('', '')).to.equal('invalid_body');
  });

  it('are counted when their body has arrived, and checked again', async () => {
    const { login, end } = holdLogin();
    let arrive: (credentials: LoginCredentials) => void = () => undefined;
    const body = new Promise<LoginCredentials>((resolve) => (arrive = resolve));
    const waiting = Array.from({ length: IN_PROGRESS.limit / 2 }, () =>
      outcomeOf(login.logIn(requestFrom(SHOP), () => body)),
    );
    const inside = fillHalf(login, SHOP);
    await settle();
    arrive({ identifier: KOFI.email, password: PASSWORD });
    expect([...new Set(await Promise.all(waiting))]).to.deep.equal([TOO_BUSY]);
    end();
    await Promise.all(inside);
  });

  it('end after every outcome, and leave their place', async () => {
    const accounts = quickAccountStore();
    const { quick, login, attempt, end } = holdLogin(
      { maxPendingLogins: 1 },
      {
        findCredentials: (email) => (email === 'down' ? Promise.reject(new Error()) : accounts.findCredentials(email)),
      },
    );
    const inside = fillHalf(login, SHOP, IN_PROGRESS.limit / 2 - 1);
    await until(() => quick.compared.length === 1);
    quick.verify = (password) =>
      password === 'broken' ? Promise.reject(new Error('out of memory')) : Promise.resolve(password === PASSWORD);
    for (const [email, password, outcome] of [
      [KOFI.email, PASSWORD, 'good'],
      [KOFI.email, WRONG, 'wrong_credentials'],
      [KOFI.email, 'broken', 'out of memory'],
      [FERMEE.email, PASSWORD, 'account_disabled'],
      ['', '', 'invalid_body'],
      ['down', WRONG, 'store_unavailable'],
      [KOFI.email, PASSWORD, 'good'],
    ] as const) {
      expect(await attempt(email, password)).to.equal(outcome);
    }
    end();
    await Promise.all(inside);
  });

  it('are counted until they are refused, which happens in a later turn of the event loop', async () => {
    const { quick, login, attempt, end } = holdLogin({ maxPendingLogins: 1 });
    const inside: Promise<unknown>[] = fillHalf(login, SHOP, IN_PROGRESS.limit / 2 - 3);
    await until(() => quick.compared.length === 1);
    for (const { email } of [KOFI, FERMEE]) {
      inside.push(attempt(email));
      await settle();
    }
    const refused = attempt(KOFI.email, 'another password');
    for (let tick = 0; tick < 10; tick++) await Promise.resolve();
    // The refused login is the last in progress that one source may have, and this one is not admitted.
    expect(await attempt('', '')).to.equal(TOO_BUSY);
    expect(await refused).to.equal(TOO_BUSY);
    expect(await attempt('', '')).to.equal('invalid_body');
    end();
    await Promise.all(inside);
  });
});

describe('the places of a Login', () => {
  it('are maxPendingLogins, beside the slots', async () => {
    const { quick, attempt, end } = holdLogin({ maxPendingLogins: 20 });
    const inside: Promise<string>[] = [];
    for (let login = 0; login < 22; login++) {
      inside.push(attempt(AWA.email, `password ${login}`, `198.51.100.${login}`));
      if (login < 2) await until(() => quick.compared.length === login + 1);
    }
    expect(await attempt(AWA.email, PASSWORD, SHOP)).to.equal(TOO_BUSY);
    end();
    expect([...new Set(await Promise.all(inside))]).to.deep.equal(['wrong_credentials']);
  });

  it('are refused at once when the wait would be longer than the limit', async () => {
    const { quick, attempt, end } = holdLogin();
    end();
    await setComputationTimes(quick.passwords, MAX_ESTIMATED_WAIT_MS / 2);
    const endAgain = quick.hold();
    const inside: Promise<string>[] = [];
    // Two are hashed. Of those that wait, each waits a quarter of the limit longer, and the fifth exactly the limit.
    for (let login = 0; login < 7; login++) {
      inside.push(attempt(AWA.email, `password ${login}`, `198.51.100.${login}`));
      await settle();
    }
    expect(quick.passwords.load()).to.deep.equal({ running: 2, waiting: 5 });
    expect(await attempt(AWA.email)).to.equal(TOO_BUSY);
    endAgain();
    await Promise.all(inside);
  });

  it('have a last quarter for the known sources of an email, whose logins are hashed first', async () => {
    const { passwords, compared, hold } = quickPasswords(createPasswords, { maxConcurrentHashes: 1 });
    await setComputationTimes(passwords, 0);
    const { asked, logIn } = await serveLogin({ passwords, maxPendingLogins: 8 });
    expect((await logIn(AWA.email, PASSWORD, SHOP)).status).to.equal(200);
    compared.length = asked.length = 0;
    const end = hold();
    const inside: Promise<Answer>[] = [];
    /** Starts a login. Resolves when it is hashed or waits. */
    const start = async (...login: Parameters<typeof logIn>) => {
      const { length } = asked;
      inside.push(logIn(...login));
      await until(() => asked.length > length);
      await settle();
    };
    const stranger = (index: number) => [`guess${index}@shop.example`, WRONG, `198.51.100.${index}`] as const;
    // One is hashed, and six wait.
    for (let index = 0; index < 7; index++) await start(...stranger(index));
    expectTooBusy(await logIn(...stranger(7)));
    expectTooBusy(await logIn('nobody@boutique.example', PASSWORD, SHOP));
    expectTooBusy(await logIn(AWA.email, PASSWORD, '203.0.113.8'));
    // Nothing is looked up for an answer 503.
    expect(asked).to.have.length(7);
    await start(AWA.email, PASSWORD, SHOP);
    end();
    const statuses = (await Promise.all(inside)).map(({ status }) => status);
    expect(statuses).to.deep.equal([...Array.from({ length: 7 }, () => 401), 200]);
    expect(compared.slice(0, 3)).to.deep.equal([WRONG, PASSWORD, WRONG]);
  });
});
