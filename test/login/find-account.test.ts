import { mock } from 'node:test';
import { expect } from 'chai';
import {
  type AuthError,
  createLogin,
  createLoginThrottle,
  createPasswords,
  type Credentials,
  type LoginOptions,
  type MerchantAccount,
  type UserStore,
} from '../../src/index.js';
import { AWA, PASSWORD, PASSWORD_HASH, WRONG } from '../helpers/accounts.js';
import { TOO_MANY_ATTEMPTS, WRONG_CREDENTIALS } from '../helpers/answers.js';
import { stubComputations } from '../helpers/computations.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { phc } from '../helpers/hashes.js';
import { requestFrom } from '../helpers/logins-in-progress.js';
import { QUICK_HASH, quickPasswords } from '../helpers/quick-passwords.js';
import { expectAuthError, rejectionOf } from '../helpers/thrown.js';
import { django } from '../passwords/django-format.js';

/** The result of findCredentials, with an identifier of any type. */
type Found = Omit<Credentials, 'identifier'> & { readonly identifier?: unknown };

describe('the identifier of an account', () => {
  /** Makes a function that logs in to the accounts that `find` returns. It resolves to their id, or to the code. */
  function createNames(find: (name: string) => Found | null, options: LoginOptions = {}) {
    const asked: string[] = [];
    const findCredentials: UserStore['findCredentials'] = (name) => {
      asked.push(name);
      return Promise.resolve(find(name) as Credentials | null);
    };
    const { passwords } = quickPasswords(createPasswords);
    const userStore = { findById: () => Promise.resolve(null), findCredentials };
    const login = createLogin(userStore, { passwords, ...options });
    const logIn = (identifier: string, password = PASSWORD) =>
      login.attempt(requestFrom('203.0.113.7'), { identifier, password }).then(
        ({ account }) => account.id,
        (error: unknown) => (error as AuthError).code,
      );
    return { asked, logIn };
  }

  const found = (account: MerchantAccount, identifier?: unknown): Found => {
    return { account, passwordHash: QUICK_HASH, ...(identifier !== undefined && { identifier }) };
  };
  const byName = (name: string) => (name.toLowerCase() === 'awa' ? found(AWA, 'awa') : null);

  it('may be a user name, which logs in as its lookup finds it', async () => {
    const warnings = collectWarnings();
    const { asked, logIn } = createNames(byName);
    for (const name of ['awa', 'AWA', 'Awa']) expect(await logIn(name)).to.equal(AWA.id);
    expect(asked).to.deep.equal(['awa', 'AWA', 'Awa']);
    for (const [name, password] of [
      ['awa', WRONG],
      [AWA.email, PASSWORD],
    ] as const) {
      expect(await logIn(name, password)).to.equal(WRONG_CREDENTIALS);
    }
    expect(warnings).to.deep.equal([]);
  });

  it('is the key of the throttle, which counts and clears its variants together, and not those of the email', async () => {
    const throttle = createLoginThrottle({ emailAndSource: { failures: 10, seconds: 60 } });
    const { logIn } = createNames((name) => (name === AWA.email ? found(AWA) : byName(name)), { throttle });
    for (let failure = 0; failure < 9; failure++) await logIn('awa', `${WRONG} ${failure}`);
    expect(await logIn('AWA')).to.equal(AWA.id);
    const variants = ['awa', 'AWA', 'Awa', ' awa', 'awa ', 'a\u200bwa', 'áwa', 'ａｗａ', 'aWA', 'awA'];
    for (const name of variants) expect(await logIn(name, WRONG)).to.equal(WRONG_CREDENTIALS);
    for (const name of ['awa', 'AWA']) expect(await logIn(name)).to.equal(TOO_MANY_ATTEMPTS);
    expect(await logIn(AWA.email)).to.equal(AWA.id);
  });

  it('is the email by default, in any variant that the lookup finds', async () => {
    for (const credentials of [found(AWA), { ...found(AWA), identifier: undefined }]) {
      const { logIn } = createNames(() => credentials);
      for (const name of [AWA.email, AWA.email.toUpperCase(), `  ${AWA.email}`, 'awá@boutique.example']) {
        expect(await logIn(name), name).to.equal(AWA.id);
      }
    }
  });

  it('that differs from the sent one counts as unknown: one decoy computation, whatever the password', async () => {
    collectWarnings();
    const stored = { account: AWA, passwordHash: PASSWORD_HASH };
    const { logIn } = createNames(() => stored, { passwords: createPasswords() });
    const computations = stubComputations(() => true);
    for (const password of [PASSWORD, WRONG]) {
      expect(await logIn('alias@boutique.example', password)).to.equal(WRONG_CREDENTIALS);
    }
    expect(computations.map(({ password }) => password)).to.deep.equal([PASSWORD, WRONG]);
    const [one, other] = computations.splice(0);
    expect(one?.hash).to.equal(other?.hash).and.not.equal(PASSWORD_HASH);
    expect(await logIn(AWA.email)).to.equal(AWA.id);
    expect(computations[0]?.hash).to.equal(PASSWORD_HASH);
  });

  it('that differs causes one warning for each Login, with a code', async () => {
    const warnings: unknown[] = [];
    mock.method(process, 'emitWarning', (message: string, { code }: { code: string }) =>
      warnings.push([code, message]),
    );
    const message =
      'A login found an account whose stored identifier is not the one that was sent, so the account counts as ' +
      'unknown. Let findCredentials return the text that its lookup matched as identifier, or rewrite the typed ' +
      'identifier before login.attempt (plus tags, phone numbers).';
    for (let login = 0; login < 2; login++) {
      const { logIn } = createNames(() => found(AWA));
      for (const name of ['alias', 'other']) expect(await logIn(name)).to.equal(WRONG_CREDENTIALS);
    }
    expect(warnings).to.deep.equal(Array.from({ length: 2 }, () => ['EMA_OTHER_IDENTIFIER', message]));
  });
});

describe('a stored hash', () => {
  const BCRYPT = '$2y$12$GhvMmNVjRW29ulnudl.LbuAnUtN/LRfe1JsBm1Xu6LE3059z5Tr8m';
  const PBKDF2 = 'pbkdf2_sha256$1000$seasalt$CWWFdHOWwPnki7HvkcqN9iA2T3KLW1cf2uZ5kvArtVY=';
  const NO_DECOY =
    'A login found a stored hash of a format or cost that no decoy has, so the time of an answer can tell which emails ' +
    'exist. List a sample of each format and cost in your table as decoyHashes of createPasswords.';

  /** Logs in with a wrong password for each of these hashes. Returns the warnings. */
  async function warningsOf(hashes: readonly (string | null)[], decoyHashes?: readonly string[]) {
    const warnings = collectWarnings();
    stubComputations(() => false);
    const left = [...hashes];
    const userStore = {
      findById: () => Promise.resolve(null),
      findCredentials: () => Promise.resolve({ account: AWA, passwordHash: left.shift() ?? null }),
    };
    const passwords = createPasswords({ formats: [django], ...(decoyHashes && { decoyHashes }) });
    const login = createLogin(userStore, { passwords, throttle: false });
    while (left.length > 0) {
      const attempt = login.attempt(requestFrom('203.0.113.1'), { identifier: AWA.email, password: WRONG });
      expectAuthError(await rejectionOf(attempt), WRONG_CREDENTIALS);
    }
    return warnings;
  }

  for (const [kind, stored, decoys] of [
    ['of bcrypt, without decoyHashes', BCRYPT, undefined],
    ['of argon2id at another cost', phc({ m: 19_455 }), undefined],
    ['of argon2i at the cost of argon2id', PASSWORD_HASH.replace('argon2id', 'argon2i'), undefined],
    ['of bcrypt with a lower cost', BCRYPT.replace('$12$', '$10$'), [BCRYPT, PASSWORD_HASH]],
    ['of a format of the host', PBKDF2, [BCRYPT, PASSWORD_HASH]],
  ] as const) {
    it(`${kind} resembles no decoy, which causes one warning without the hash`, async () => {
      expect(await warningsOf([stored, stored], decoys)).to.deep.equal([NO_DECOY]);
    });
  }

  for (const [kind, stored, decoys] of [
    ['of the default cost, without decoyHashes', PASSWORD_HASH, undefined],
    ['that is missing', null, undefined],
    ['of bcrypt under another version', BCRYPT.replace('$2y$', '$2a$'), [PASSWORD_HASH, BCRYPT]],
    ['of a format of the host, whose cost cannot be read', PBKDF2.replace('1000', '2000'), [PBKDF2]],
  ] as const) {
    it(`${kind} causes no warning of the decoys`, async () => {
      expect(await warningsOf([stored], decoys)).to.deep.equal([]);
    });
  }
});

describe('the hash with which a failed login is compared', () => {
  const BCRYPT = '$2y$10$92IXUNpkjO0rOQ5byMi.Ye4oKoEa3Ro9llC/.og/at2.uheWG/igi';
  const ARGON2I = phc({ m: 65_536 }).replace('argon2id', 'argon2i');
  const DIGEST_KEY = 'a digestKey of 32 bytes, or more';
  beforeEach(() => void collectWarnings());

  /** Logs in to accounts with this hash, or to none. Returns the hashes of the comparisons, one for each email. */
  async function comparedWith(emails: readonly string[], passwordHash?: string | null, digestKey = DIGEST_KEY) {
    const computations = stubComputations(() => false);
    const userStore: UserStore = {
      findById: () => Promise.resolve(null),
      findCredentials: (email) =>
        Promise.resolve(passwordHash === undefined ? null : { account: { ...AWA, email }, passwordHash }),
    };
    const passwords = createPasswords({ decoyHashes: [BCRYPT, BCRYPT, BCRYPT, ARGON2I] });
    const login = createLogin(userStore, { passwords, throttle: false, digestKey });
    for (const identifier of emails) {
      const attempt = login.attempt(requestFrom('203.0.113.1'), { identifier, password: WRONG });
      expectAuthError(await rejectionOf(attempt), WRONG_CREDENTIALS);
    }
    expect(computations).to.have.length(emails.length);
    return computations.map(({ hash }) => hash);
  }

  const EMAILS = Array.from({ length: 30 }, (_, at) => `nobody-${at}@a.example`);

  it('is the same decoy before an account exists and after it lost its password', async () => {
    const before = await comparedWith(EMAILS);
    for (const passwordHash of [null, 'unusable']) {
      expect(await comparedWith(EMAILS, passwordHash)).to.deep.equal(before);
    }
  });

  it('is one of all decoys of the mix, the same in all processes with one digestKey', async () => {
    const decoys = await comparedWith(EMAILS);
    expect(new Set(decoys)).to.deep.equal(new Set([BCRYPT, ARGON2I]));
    expect(await comparedWith(EMAILS)).to.deep.equal(decoys);
    expect(await comparedWith(EMAILS, undefined, `${DIGEST_KEY}.`)).not.to.deep.equal(decoys);
  });
});
