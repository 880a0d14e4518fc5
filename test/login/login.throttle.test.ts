import { expect } from 'chai';
import { createLoginThrottle, type UserStore } from '../../src/index.js';
import { DEFAULT_LIMITS } from '../../src/throttle/throttle-options.js';
import { AWA, FERMEE, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import { expectTooManyAttempts, expectWrongCredentials } from '../helpers/answers.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { type LoginHostConfig, serveLogin, startLogin } from '../helpers/login-host.js';
import type { QuickPasswords } from '../helpers/quick-passwords.js';
import { settle, until } from '../helpers/until.js';

const { emailAndSource } = DEFAULT_LIMITS;
const DIGEST_KEY = 'a digestKey of the tests, 32 bytes and more';

/** With this throttle, a second login from a source is refused if the first was counted. */
const ONE_FAILURE = { source: { failures: 1, seconds: 900 } };

/** Lets logins pass the first check before any password is compared, and compares the right one last. */
function compareTogether(quick: QuickPasswords, logins: number): void {
  const { verify } = quick;
  let arrived = 0;
  quick.verify = async (password, hash) => {
    arrived++;
    await until(() => arrived === logins);
    if (password === PASSWORD) await settle();
    return verify(password, hash);
  };
}

describe('the login throttle', () => {
  it('answers failures up to the limit, then 429 with the seconds to wait, even to the right password', async () => {
    const time = freezeTime();
    const { asked, quick, logIn, fail } = await serveLogin();
    await fail(emailAndSource.failures);
    expectTooManyAttempts(await logIn(AWA.email, WRONG), emailAndSource.seconds);
    time.pass(60);
    expectTooManyAttempts(await logIn(AWA.email, PASSWORD), emailAndSource.seconds - 60);
    // Nothing is looked up or hashed for an answer 429.
    expect(asked).to.have.length(emailAndSource.failures);
    expect(quick.compared).to.have.length(emailAndSource.failures);
    time.pass(emailAndSource.seconds - 60);
    expect((await logIn()).status).to.equal(200);
  });

  it('tells of as many of 60 parallel guesses as the limit allows, each sent twice, that they are wrong, and of none that it is right', async () => {
    const { quick, logIn } = await serveLogin({ maxPendingLogins: 120, hashing: { maxConcurrentHashes: 60 } });
    compareTogether(quick, 60);
    const guesses = Array.from({ length: 60 }, (_, guess) => (guess === 30 ? PASSWORD : `guess ${guess}`));
    const twice = guesses.flatMap((guess) => [guess, guess]);
    const statuses = (await Promise.all(twice.map((guess) => logIn(AWA.email, guess)))).map(({ status }) => status);
    expect(new Set(twice.filter((_, index) => statuses[index] === 401))).to.have.property(
      'size',
      emailAndSource.failures,
    );
    expect(statuses).not.to.include(200);
    expect(quick.compared).to.have.lengthOf(60);
  });

  it('answers 429 beyond the limit even to the right password of a disabled account', async () => {
    const { quick, logIn, fail } = await serveLogin({ hashing: { maxConcurrentHashes: 2 } });
    await fail(emailAndSource.failures - 1, FERMEE.email);
    compareTogether(quick, 2);
    const answers = [logIn(FERMEE.email, WRONG), logIn(FERMEE.email, PASSWORD)] as const;
    const [wrong, right] = await Promise.all(answers);
    expectWrongCredentials(wrong);
    expectTooManyAttempts(right, emailAndSource.seconds);
  });

  it('counts a guess whose caller disconnects during its computation', async () => {
    freezeTime();
    const { quick, client, logIn, fail } = await serveLogin();
    await fail(emailAndSource.failures - 1);
    quick.compared.length = 0;
    const end = quick.hold();
    const caller = startLogin(client.port, AWA.email, WRONG);
    await until(() => quick.compared.length === 1);
    caller.hangUp();
    await settle();
    end();
    await settle();
    expectTooManyAttempts(await logIn(), 900);
  });

  it('counts nothing but wrong credentials', async () => {
    const findCredentials = new Map<string, UserStore['findCredentials']>([
      ['down@shop.example', () => Promise.reject(new Error('down'))],
      ['malformed@shop.example', () => Promise.resolve({ account: {}, passwordHash: null } as never)],
    ]);
    const store: LoginHostConfig['store'] = {};
    const { quick, logIn } = await serveLogin({ store, throttle: createLoginThrottle(ONE_FAILURE) });
    const { verify } = quick;
    quick.verify = (password, hash) =>
      password === 'broken' ? Promise.reject(new Error('out of memory')) : verify(password, hash);
    for (const [status, email, password] of [
      [400, AWA.email, 'short'],
      [503, 'down@shop.example', WRONG],
      [500, 'malformed@shop.example', WRONG],
      [500, AWA.email, 'broken'],
      [401, FERMEE.email, PASSWORD],
      [200, AWA.email, PASSWORD],
    ] as const) {
      const find = findCredentials.get(email);
      if (find) store.findCredentials = find;
      else delete store.findCredentials;
      expect((await logIn(email, password)).status, email).to.equal(status);
    }
  });

  it('does not delay the answer when it clears and records', async () => {
    const control = controlledThrottle();
    const { logIn } = await serveLogin({ throttle: control.throttle, digestKey: DIGEST_KEY });
    control.before = ({ method }) =>
      method === 'delete' || method === 'block' ? new Promise(() => undefined) : undefined;
    freezeTime();
    expect((await logIn()).status).to.equal(200);
  });

  it('asks the backend eleven times for a good login, nine times for a wrong one, and five times for a refused one', async () => {
    const { throttle, calls } = controlledThrottle();
    const { logIn, fail } = await serveLogin({ throttle, digestKey: DIGEST_KEY });
    const callsFor = async (password: string) => {
      calls.length = 0;
      await logIn(AWA.email, password);
      await settle();
      return calls.map(({ method, counter }) => `${method} ${counter}`);
    };
    const arrival = ['knownSource', 'guess', 'emailAndSource', 'source', 'email'].map((counter) => `get ${counter}`);
    const mark = ['delete emailAndSource', 'block knownSource'];
    const good = [...arrival, ...arrival.slice(1), ...mark];
    expect([await callsFor(PASSWORD), await callsFor(PASSWORD)]).to.deep.equal([good, good]);
    const counts = ['guess', 'emailAndSource', 'source', 'email'].map((counter) => `penalty ${counter}`);
    expect(await callsFor(WRONG)).to.deep.equal([...arrival, ...counts]);
    await fail(emailAndSource.failures - 1);
    expect(await callsFor(PASSWORD)).to.deep.equal(arrival);
  });

  it('warns that all callers may share a private address, when that address is at the limit of a source', async () => {
    const time = freezeTime();
    // Other tests warn at the real time, so the fixed time must be later.
    time.pass(20 * 365 * 86_400);
    const { logIn, fail } = await serveLogin({ throttle: createLoginThrottle(ONE_FAILURE) });
    const warnings = collectWarnings();
    await fail(1, KOFI.email);
    expect(warnings).to.deep.equal([]);
    for (let login = 0; login < 2; login++) expect((await logIn()).status).to.equal(429);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include('all callers share this address and this limit');
  });

  it('repeats the warning of an undetermined source with a refusal, after an hour', async () => {
    const time = freezeTime();
    // Other tests warn at the real time, so the fixed time must be later.
    time.pass(20 * 365 * 86_400);
    const emailAlone = { email: { failures: 1, seconds: 900 } };
    const { logIn, fail } = await serveLogin({ trustProxy: true, throttle: createLoginThrottle(emailAlone) });
    const warnings = collectWarnings();
    await fail(1, KOFI.email);
    time.pass(3_600);
    warnings.length = 0;
    await fail(1);
    expect(warnings).to.deep.equal([]);
    expect((await logIn()).status).to.equal(429);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include('"trust proxy" is true');
  });
});
