import { expect } from 'chai';
import type { LoginOptions, UserStore } from '../../src/index.js';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { expectTooBusy } from '../helpers/answers.js';
import { setComputationTimes } from '../helpers/computation-times.js';
import { type Answer, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { settle, until } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';

/** The address of a source from which AWA has logged in. */
const KNOWN = '203.0.113.7';

onEachExpress('logins from known sources', ({ auth, express }) => {
  /** A host with one slot, whose computations last until the test ends them. */
  async function serveLogin(options: LoginOptions = {}, trustProxy: string | false = 'loopback') {
    const quick = quickPasswords(auth.createPasswords, { maxConcurrentHashes: 1 });
    await setComputationTimes(quick.passwords, 0);
    const store = quickAccountStore();
    let lookups = 0;
    const userStore: UserStore = {
      findById: (id) => store.findById(id),
      findCredentials(email) {
        lookups += 1;
        return store.findCredentials(email);
      },
    };
    const app = express();
    app.set('trust proxy', trustProxy);
    app.use('/v1', auth.createLoginRouter(userStore, { passwords: quick.passwords, ...options }));
    app.use(auth.authErrorHandler());
    const client = await serve(app);
    const logIn = (address: string, email = AWA.email, password = PASSWORD) =>
      client.send('POST', '/v1/login', { body: { email, password }, headers: { 'X-Forwarded-For': address } });
    expect((await logIn(KNOWN)).status).to.equal(200);

    const { verify } = quick;
    const ends: (() => void)[] = [];
    quick.compared.splice(0);
    quick.verify = async (password, hash) => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return verify(password, hash);
    };
    const inside: Promise<Answer>[] = [];
    /** Starts a login. Resolves when it runs or waits. */
    const start = async (...args: Parameters<typeof logIn>) => {
      const before = lookups;
      const answer = logIn(...args);
      inside.push(answer);
      await until(() => lookups > before);
      await settle();
      return { answer };
    };
    const stranger = (index: number) => [`198.51.100.${index}`, `guess${index}@boutique.example`] as const;
    const startStrangers = async (count: number) => {
      for (let index = 0; index < count; index++) await start(...stranger(index));
    };
    const endNext = async () => {
      await until(() => ends.length > 0);
      ends.shift()?.();
      await settle();
    };
    const endAll = async () => {
      let left = inside.length;
      while (left-- > 0) await endNext();
      return (await Promise.all(inside)).map(({ status }) => status);
    };
    return { quick, logIn, start, stranger, startStrangers, endNext, endAll };
  }

  it('are hashed before waiting logins from other sources', async () => {
    const { quick, start, startStrangers, endNext } = await serveLogin();
    await startStrangers(10);
    const merchant = await start(KNOWN, AWA.email, PASSWORD);
    expect(quick.passwords.load()).to.deep.equal({ running: 1, waiting: 10 });
    await endNext();
    await endNext();
    expect((await merchant.answer).status).to.equal(200);
    expect(quick.passwords.load()).to.deep.equal({ running: 1, waiting: 8 });
    for (let ended = 0; ended < 9; ended++) await endNext();
    expect(quick.passwords.load()).to.deep.equal({ running: 0, waiting: 0 });
  });

  it('are known by email and source: another email from there waits with the others', async () => {
    const { quick, start, startStrangers, endAll } = await serveLogin();
    await startStrangers(2);
    await start(KNOWN, 'nobody@boutique.example', 'of another email');
    await start('203.0.113.8', AWA.email, 'from another source');
    await start(KNOWN, AWA.email, 'from the known source');
    await endAll();
    expect(quick.compared).to.deep.equal([
      PASSWORD,
      'from the known source',
      PASSWORD,
      'of another email',
      'from another source',
    ]);
  });

  it('have the last quarter of the places', async () => {
    const { logIn, start, stranger, startStrangers, endAll } = await serveLogin({ maxPendingLogins: 8 });
    // One has the slot, and six wait.
    await startStrangers(7);
    expectTooBusy(await logIn(...stranger(7)));
    for (const password of [PASSWORD, 'a mistyped password']) await start(KNOWN, AWA.email, password);
    expectTooBusy(await logIn(KNOWN, AWA.email, 'another mistyped password'));
    expect(await endAll()).to.deep.equal([...Array.from({ length: 7 }, () => 401), 200, 401]);
  });

  it('leave places for others: one source gets half of them, and a quarter once half are taken', async () => {
    const { logIn, start, stranger, endAll } = await serveLogin({ maxPendingLogins: 8 });
    for (let login = 0; login < 5; login++) await start(KNOWN, AWA.email, `password ${login}`);
    expectTooBusy(await logIn(KNOWN, AWA.email, PASSWORD));
    for (const index of [0, 1]) await start(...stranger(index));
    expectTooBusy(await logIn(...stranger(2)));
    expect(await endAll()).to.deep.equal(Array.from({ length: 7 }, () => 401));
  });

  it('share the places of their peer while the source is undetermined', async () => {
    collectWarnings();
    const { logIn, stranger, startStrangers, endAll } = await serveLogin({ maxPendingLogins: 8 }, false);
    // One has the slot, and four wait, all from one peer.
    await startStrangers(5);
    expectTooBusy(await logIn(...stranger(5)));
    expectTooBusy(await logIn(KNOWN));
    expect(await endAll()).to.deep.equal(Array.from({ length: 5 }, () => 401));
  });

  it('are not preferred without a throttle: all sources share the places, and are hashed in order', async () => {
    const { quick, logIn, start, stranger, startStrangers, endAll } = await serveLogin({
      maxPendingLogins: 8,
      throttle: false,
    });
    await startStrangers(8);
    await start(KNOWN, AWA.email, 'the last one');
    expectTooBusy(await logIn(...stranger(8)));
    await endAll();
    expect(quick.compared.at(-1)).to.equal('the last one');
  });
});
