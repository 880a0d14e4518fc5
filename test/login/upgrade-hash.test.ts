import { expect } from 'chai';
import { AWA, FERMEE, PASSWORD, PASSWORD_HASH, WRONG } from '../helpers/accounts.js';
import { expectAccountDisabled, expectWrongCredentials, STORE_UNAVAILABLE } from '../helpers/answers.js';
import { type HeldComputation, holdComputations, stubComputations } from '../helpers/computations.js';
import { expectEvents, expectNoSecrets, recordEvents } from '../helpers/events.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { LOW_COST_HASH } from '../helpers/hashes.js';
import { logIn, serveLogin } from '../helpers/login-host.js';
import { requestFrom } from '../helpers/logins-in-progress.js';
import { settle, until } from '../helpers/until.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import {
  type AuthEvent,
  createLogin,
  createPasswords,
  InMemoryUserStore,
  type MerchantAccount,
  type UserStore,
} from '../../src/index.js';

const OF_AWA = { accountId: AWA.id, realm: 'merchant', source: '127.0.0.1' };

describe('the upgrade of a hash', () => {
  let events: AuthEvent[];
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);
  beforeEach(() => {
    collectWarnings();
    events = recordEvents();
    process.on('unhandledRejection', onRejection);
  });
  afterEach('no rejection was left unhandled', async () => {
    await settle();
    process.off('unhandledRejection', onRejection);
    expect(rejections.splice(0)).to.deep.equal([]);
  });

  const upgrades = () => events.filter(({ type }) => type.startsWith('hash_'));

  async function serveStore(store: UserStore) {
    const host = await serveLogin({ store, passwords: createPasswords(), throttle: false });
    return host.client;
  }

  type Replace = UserStore['replacePasswordHash'];

  /** A store with one account, whose `replacePasswordHash` is the one given, or none. */
  function storeWith(
    passwordHash: string | null,
    replacePasswordHash?: Replace,
    account: MerchantAccount = AWA,
  ): UserStore {
    return {
      findById: () => Promise.resolve(account),
      findCredentials: () => Promise.resolve({ account, passwordHash }),
      ...(replacePasswordHash && { replacePasswordHash }),
    };
  }

  /** Records what a store is asked to replace. */
  function replacements(result: () => Promise<boolean> = () => Promise.resolve(true)) {
    const calls: [id: string, current: string, next: string][] = [];
    const replace = (id: string, current: string, next: string) => {
      calls.push([id, current, next]);
      return result();
    };
    return { calls, replace };
  }

  /** Answers comparisons with a match at once; new hashes last until the test ends them. */
  function holdHashes(): HeldComputation[] {
    const held = holdComputations();
    const hashes: HeldComputation[] = [];
    held.push = (...computations) => {
      for (const computation of computations) {
        if (computation.kind === 'hash') hashes.push(computation);
        else setImmediate(() => computation.end(true));
      }
      return hashes.length;
    };
    return hashes;
  }

  it('happens after the login, as compare-and-set of what was read', async () => {
    const { calls, replace } = replacements();
    const login = createLogin(storeWith(LOW_COST_HASH, replace), { throttle: false });
    const hashes = holdHashes();
    await login.attempt(requestFrom('127.0.0.1'), { identifier: AWA.email, password: PASSWORD });
    expect(hashes).to.deep.equal([]);
    await until(() => hashes.length > 0);
    expect(hashes.map(({ password }) => password)).to.deep.equal([PASSWORD]);
    expect(calls).to.deep.equal([]);
    hashes[0]?.end('the new hash');
    await until(() => upgrades().length === 1);
    expect(calls).to.deep.equal([[AWA.id, LOW_COST_HASH, 'the new hash']]);
    expectEvents(events, { type: 'login_succeeded', ...OF_AWA }, { type: 'hash_upgraded', ...OF_AWA });
    expectNoSecrets(events, PASSWORD, LOW_COST_HASH, 'the new hash', AWA.email);
  });

  it('makes a hash of the same password, which the next login uses and does not replace', async () => {
    const found = new InMemoryUserStore([{ ...AWA, passwordHash: LOW_COST_HASH }]);
    const client = await serveStore(found);
    expect((await logIn(client)).status).to.equal(200);
    await until(() => upgrades().length === 1);
    const upgraded = (await found.findCredentials(AWA.email))?.passwordHash ?? '';
    expect(upgraded)
      .to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      .and.not.equal(PASSWORD_HASH);
    const computations = stubComputations();
    expect((await logIn(client)).status).to.equal(200);
    expectWrongCredentials(await logIn(client, AWA.email, WRONG));
    expect(computations.map(({ kind, hash }) => [kind, hash])).to.deep.equal([
      ['verify', upgraded],
      ['verify', upgraded],
    ]);
  });

  it('does not happen after a wrong password, for a disabled account, or for a hash that is as good', async () => {
    const { calls, replace } = replacements();
    const computations = stubComputations(({ kind, password }) => (kind === 'hash' ? 'new' : password === PASSWORD));
    const wrong = await serveStore(storeWith(LOW_COST_HASH, replace));
    expectWrongCredentials(await logIn(wrong, AWA.email, WRONG));
    const disabled = await serveStore(storeWith(LOW_COST_HASH, replace, FERMEE));
    expectAccountDisabled(await logIn(disabled, FERMEE.email));
    const current = await serveStore(storeWith(PASSWORD_HASH, replace));
    expect((await logIn(current)).status).to.equal(200);
    const without = await serveStore(storeWith(null, replace));
    expectWrongCredentials(await logIn(without));
    await settle();
    expect(computations.map(({ kind }) => kind)).to.deep.equal(['verify', 'verify', 'verify', 'verify']);
    expect(calls).to.deep.equal([]);
    expect(upgrades()).to.deep.equal([]);
  });

  const failure = new Error('the table is read-only');
  for (const [what, result, cause] of [
    ['false', () => Promise.resolve(false), undefined],
    ['a row count, which is not true', () => Promise.resolve(1 as never), undefined],
    ['a rejection', () => Promise.reject(failure), failure],
  ] as const) {
    it(`that ends in ${what} fails no login, and is reported`, async () => {
      const { replace } = replacements(result);
      const client = await serveStore(storeWith(LOW_COST_HASH, replace));
      stubComputations(({ kind }) => (kind === 'hash' ? 'the new hash' : true));
      expect((await logIn(client)).status).to.equal(200);
      await until(() => upgrades().length === 1);
      const reported = (upgrades()[0] as { cause?: { code: string; detail: string; cause: unknown } }).cause;
      expectEvents(upgrades(), { type: 'hash_not_upgraded', ...OF_AWA, cause: reported });
      expect(reported?.code).to.equal(cause && STORE_UNAVAILABLE);
      expect(reported?.detail).to.equal(cause && 'UserStore.replacePasswordHash failed.');
      expect(reported?.cause).to.equal(cause);
    });
  }

  it('that the store does not answer within storeTimeoutMs is reported', async () => {
    const time = freezeTime();
    const { calls, replace } = replacements(() => new Promise(() => undefined));
    const login = createLogin(storeWith(LOW_COST_HASH, replace), { throttle: false, storeTimeoutMs: 1_000 });
    stubComputations(({ kind }) => (kind === 'hash' ? 'the new hash' : true));
    await login.attempt(requestFrom('127.0.0.1'), { identifier: AWA.email, password: PASSWORD });
    await until(() => calls.length === 1);
    await settle();
    time.pass(1);
    await until(() => upgrades().length === 1);
    expect(upgrades()[0]).to.include({ type: 'hash_not_upgraded' });
  });

  it('that cannot be computed fails no login, and is reported', async () => {
    const { calls, replace } = replacements();
    const client = await serveStore(storeWith(LOW_COST_HASH, replace));
    stubComputations(({ kind }) => (kind === 'hash' ? Promise.reject(failure) : true));
    expect((await logIn(client)).status).to.equal(200);
    await until(() => upgrades().length === 1);
    expect(upgrades()[0]).to.include({ type: 'hash_not_upgraded' });
    expect((upgrades()[0] as { cause?: unknown }).cause).to.include({ code: STORE_UNAVAILABLE, cause: failure });
    expect(calls).to.deep.equal([]);
  });

  it('of an account that throws meanwhile ends no process, and is reported', async () => {
    let isBroken = false;
    const account = Object.defineProperty({ ...AWA }, 'id', {
      get() {
        if (isBroken) throw new Error('the entity is detached');
        return AWA.id;
      },
    });
    const client = await serveStore(storeWith(LOW_COST_HASH, replacements().replace, account));
    const hashes = holdHashes();
    expect((await logIn(client)).status).to.equal(200);
    await until(() => hashes.length === 1);
    isBroken = true;
    hashes[0]?.end('the new hash');
    await until(() => upgrades().length === 1);
    expect(upgrades()[0]).to.include({ type: 'hash_not_upgraded', accountId: AWA.id });
  });

  it('is not computed for a store without replacePasswordHash', async () => {
    const client = await serveStore(storeWith(LOW_COST_HASH));
    const computations = stubComputations(() => true);
    expect((await logIn(client)).status).to.equal(200);
    await settle();
    expect(computations.map(({ kind }) => kind)).to.deep.equal(['verify']);
    expect(upgrades()).to.deep.equal([]);
  });
});
