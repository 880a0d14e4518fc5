import { EventEmitter, getEventListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { mock } from 'node:test';
import { expect } from 'chai';
import { disconnectSignal } from '../../src/http/disconnect.js';
import {
  AuthError,
  createLogin,
  createPasswords,
  type LoginOptions,
  type MerchantAccount,
  type UserStore,
} from '../../src/index.js';
import { foldIdentifier } from '../../src/login/fold-identifier.js';
import { AWA, KOFI, PASSWORD } from '../helpers/accounts.js';
import { expectTooBusy } from '../helpers/answers.js';
import { type HeldComputation, holdComputations } from '../helpers/computations.js';
import { PHC_OF_PASSWORD } from '../helpers/hashes.js';
import { type Answer, type Client, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { QUICK_HASH, quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { settle, until } from '../helpers/until.js';
import { startLogin } from '../helpers/waiting-login.js';

const WRONG = 'not the password';
const BCRYPT = '$2y$10$92IXUNpkjO0rOQ5byMi.Ye4oKoEa3Ro9llC/.og/at2.uheWG/igi';

afterEach('restore the real clock', () => mock.timers.reset());

onEachExpress('identical logins in flight', ({ auth, express }) => {
  interface Served {
    readonly client: Client;
    readonly lookups: string[];
    readonly logIn: (email?: string, password?: string) => Promise<Answer>;
  }

  /** A host whose store is asked through `find`. */
  async function serveLogin(find: UserStore['findCredentials'], options: LoginOptions = {}): Promise<Served> {
    const lookups: string[] = [];
    const userStore: UserStore = {
      findById: () => Promise.resolve(null),
      findCredentials(identifier) {
        lookups.push(identifier);
        return find(identifier);
      },
    };
    const app = express();
    app.use('/v1', auth.createLoginRouter(userStore, { throttle: false, ...options }));
    app.use(auth.authErrorHandler());
    const client = await serve(app);
    const logIn = (email = AWA.email, password = PASSWORD) =>
      client.send('POST', '/v1/login', { body: { email, password } });
    return { client, lookups, logIn };
  }

  const accounts: readonly MerchantAccount[] = [AWA, KOFI];
  const findAccount: UserStore['findCredentials'] = (identifier) => {
    const account = accounts.find(({ email }) => email === identifier);
    return Promise.resolve(account ? { account, passwordHash: PHC_OF_PASSWORD } : null);
  };

  const onePlace = () => ({ passwords: auth.createPasswords({ maxConcurrentHashes: 1 }), maxPendingLogins: 1 });
  const tokenOf = (answer: Answer) => (answer.json as { authorisation: { token: string } }).authorisation.token;

  /** Ends computations in their order until all of `answers` are there. */
  async function endAll(
    computations: readonly HeldComputation[],
    answers: readonly Promise<Answer>[],
  ): Promise<Answer[]> {
    let isDone = false;
    const done = Promise.all(answers).finally(() => (isDone = true));
    for (let ended = 0; ; ended++) {
      await until(() => isDone || computations.length > ended);
      if (isDone) return done;
      computations[ended]?.end(true);
    }
  }

  it('need one place and one computation, and each gets its own token', async () => {
    const { lookups, logIn } = await serveLogin(findAccount, onePlace());
    const computations = holdComputations();
    const logins = Array.from({ length: 40 }, () => logIn());
    await until(() => lookups.length === 40 && computations.length === 1);
    await settle();
    const answers = await endAll(computations, logins);
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 40 }, () => 200));
    expect(new Set(answers.map(tokenOf)).size).to.equal(40);
    expect(computations).to.have.lengthOf(1);
  });

  it('lose no login of 400 over a store that takes some milliseconds', async () => {
    const { passwords, compared } = quickPasswords(auth.createPasswords, { maxConcurrentHashes: 2 });
    const quick = quickAccountStore();
    const { logIn } = await serveLogin(
      async (identifier) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return quick.findCredentials(identifier);
      },
      { passwords },
    );
    const answers = await Promise.all(Array.from({ length: 400 }, () => logIn()));
    expect(answers.filter(({ status }) => status !== 200)).to.deep.equal([]);
    expect(compared.length).to.be.below(400);
  });

  it('are counted one by one: of 300 wrong guesses ten get 401, and they need one computation', async () => {
    const quick = quickPasswords(auth.createPasswords);
    const store = quickAccountStore();
    const { lookups, logIn } = await serveLogin((identifier) => store.findCredentials(identifier), {
      passwords: quick.passwords,
      throttle: auth.createLoginThrottle(),
    });
    quick.verify = async () => {
      await until(() => lookups.length === 300);
      return false;
    };
    const guesses = Array.from({ length: 300 }, () => logIn(AWA.email, WRONG));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).to.have.lengthOf(10);
    expect(statuses.filter((status) => status === 429)).to.have.lengthOf(290);
    expect(quick.compared).to.have.lengthOf(1);
  });

  it('share nothing with another password or another identifier, also not with an unknown one', async () => {
    const { lookups, logIn } = await serveLogin(findAccount, {
      passwords: auth.createPasswords({ maxConcurrentHashes: 6 }),
    });
    const computations = holdComputations();
    const logins = [
      logIn(AWA.email, PASSWORD),
      logIn(AWA.email, WRONG),
      logIn(KOFI.email, PASSWORD),
      logIn('nobody@boutique.example', PASSWORD),
      logIn('somebody@boutique.example', PASSWORD),
    ];
    await until(() => lookups.length === 5 && computations.length === 5);
    await endAll(computations, logins);
    expect(computations).to.have.lengthOf(5);
  });

  it('compute again for a login that finds another hash, and this login takes its own place', async () => {
    let isChanged = false;
    const other = PHC_OF_PASSWORD.replace('dLCcEdRBT6OqEUPAem0dLg', 'c29tZW90aGVyc2FsdDEyMw');
    const { lookups, logIn } = await serveLogin(
      () => Promise.resolve({ account: AWA, passwordHash: isChanged ? other : PHC_OF_PASSWORD }),
      { passwords: auth.createPasswords({ maxConcurrentHashes: 1 }) },
    );
    const computations = holdComputations();
    const first = logIn();
    await until(() => lookups.length === 1 && computations.length === 1);
    isChanged = true;
    const second = logIn();
    await until(() => lookups.length === 2);
    await settle();
    const [one, two] = await endAll(computations, [first, second]);
    expect([one?.status, two?.status]).to.deep.equal([200, 200]);
    expect(computations.map(({ hash }) => hash)).to.deep.equal([PHC_OF_PASSWORD, other]);
  });

  it('need a second place for another hash, and free both when no slot becomes free in time', async () => {
    let isChanged = false;
    const passwords = auth.createPasswords({ maxConcurrentHashes: 1 });
    const { lookups, logIn } = await serveLogin(
      () => Promise.resolve({ account: AWA, passwordHash: isChanged ? BCRYPT : PHC_OF_PASSWORD }),
      { passwords, maxPendingLogins: 4 },
    );
    const computations = holdComputations();
    mock.timers.enable({ apis: ['setTimeout'] });
    const start = async (password: string) => {
      const before = lookups.length;
      const answer = logIn(AWA.email, password);
      await until(() => lookups.length > before);
      await settle();
      return [answer];
    };
    const busy = await start('of the login that has the slot');
    for (let round = 0; round < 2; round++) {
      isChanged = false;
      const waiting = await start(PASSWORD);
      isChanged = true;
      waiting.push(...(await start(PASSWORD)));
      expect(passwords.load()).to.deep.equal({ running: 1, waiting: 2 });
      // One source gets two places of four.
      expectTooBusy(await logIn(AWA.email, WRONG));
      for (let second = 0; second < 10; second++) mock.timers.tick(1_000);
      for (const answer of await Promise.all(waiting)) expectTooBusy(answer);
    }
    expect(computations).to.have.lengthOf(1);
    computations[0]?.end(true);
    for (const answer of await Promise.all(busy)) expect(answer.status).to.equal(200);
  });

  it('go on when the first caller disconnects, and end when all have', async () => {
    const { client, lookups, logIn } = await serveLogin(findAccount, {
      passwords: auth.createPasswords({ maxConcurrentHashes: 1 }),
    });
    const computations = holdComputations();
    const busy = logIn(KOFI.email);
    await until(() => computations.length === 1);
    const [first, left] = [startLogin(client.port, AWA.email, PASSWORD), startLogin(client.port, AWA.email, WRONG)];
    await until(() => lookups.length === 3);
    const second = logIn();
    await until(() => lookups.length === 4);
    first.hangUp();
    left.hangUp();
    await settle();
    computations[0]?.end(true);
    expect((await busy).status).to.equal(200);
    await until(() => computations.length === 2);
    computations[1]?.end(true);
    expect((await second).status).to.equal(200);
    await settle();
    expect(computations.map(({ password }) => password)).to.deep.equal([PASSWORD, PASSWORD]);
  });

  it('compute anew for a login that comes after the computation has ended', async () => {
    const { logIn } = await serveLogin(findAccount);
    const computations = holdComputations();
    for (let login = 1; login <= 2; login++) {
      const answer = logIn();
      await until(() => computations.length === login);
      computations[login - 1]?.end(true);
      expect((await answer).status).to.equal(200);
    }
  });
});

describe('spellings of one identifier that arrive together', () => {
  const SPELLINGS = [AWA.email, AWA.email.toUpperCase(), `${AWA.email} `, 'aw\u00e1@boutique.example'];
  const LOOKUPS: Readonly<Record<string, (sent: string) => boolean>> = {
    'compares bytes': (sent) => sent === AWA.email,
    'ignores case': (sent) => sent.toLowerCase() === AWA.email,
    'ignores case, spaces and accents': (sent) => foldIdentifier(sent) === AWA.email,
  };

  /**
   * Logs in with all spellings and a wrong password, while one other login computes and `waiting` more wait.
   * @returns the outcomes, and the number of their computations
   */
  async function outcomesOf(finds: (sent: string) => boolean, maxPendingLogins: number, waiting: number) {
    const quick = quickPasswords(createPasswords, { maxConcurrentHashes: 1 });
    let lookups = 0;
    let end: () => void = () => undefined;
    const held = new Promise<boolean>((resolve) => (end = () => resolve(false)));
    quick.verify = () => held;
    const findCredentials: UserStore['findCredentials'] = async (sent) => {
      lookups += 1;
      return Promise.resolve(finds(sent) ? { account: AWA, passwordHash: QUICK_HASH } : null);
    };
    const userStore = { findById: () => Promise.resolve(null), findCredentials };
    const login = createLogin(userStore, { passwords: quick.passwords, throttle: false, maxPendingLogins });
    const logIn = (identifier: string) => {
      const req = { headers: {}, ip: '203.0.113.1' } as unknown as IncomingMessage;
      return login.attempt(req, { identifier, password: WRONG }).then(
        () => expect.fail('a wrong password logged in'),
        (error: unknown) => (error instanceof AuthError ? error.code : expect.fail('no AuthError')),
      );
    };
    const others = Array.from({ length: 1 + waiting }, (_, index) => logIn(`other-${index}`));
    await until(() => lookups === others.length);
    await settle();
    const spellings = SPELLINGS.map(logIn);
    await settle();
    end();
    const outcomes = await Promise.all(spellings);
    await Promise.all(others);
    return { outcomes, computations: quick.compared.length - others.length };
  }

  for (const [kind, finds] of Object.entries(LOOKUPS)) {
    it(`cost as many computations with an account as without one, when its lookup ${kind}`, async () => {
      const unknown = await outcomesOf(() => false, 200, 0);
      expect(await outcomesOf(finds, 200, 0)).to.deep.equal(unknown);
      expect(unknown).to.deep.equal({ outcomes: SPELLINGS.map(() => 'wrong_credentials'), computations: 4 });
    });

    it(`get the same answers with an account as without one at half of the places, when its lookup ${kind}`, async () => {
      const unknown = await outcomesOf(() => false, 4, 1);
      expect(await outcomesOf(finds, 4, 1)).to.deep.equal(unknown);
      expect(unknown.outcomes).to.deep.equal(['wrong_credentials', 'too_busy', 'too_busy', 'too_busy']);
    });
  }
});

describe('logins on one connection', () => {
  it('leave no listener on its signal', async () => {
    const { passwords } = quickPasswords(createPasswords);
    const login = createLogin(quickAccountStore(), { passwords, throttle: false });
    const req = { headers: {}, ip: '203.0.113.1', socket: new EventEmitter() } as unknown as IncomingMessage;
    await login.attempt(req, { identifier: AWA.email, password: PASSWORD });
    await login.attempt(req, { identifier: AWA.email, password: WRONG }).catch(() => undefined);
    expect(getEventListeners(disconnectSignal(req), 'abort')).to.deep.equal([]);
  });
});
