import type { IncomingMessage } from 'node:http';
import { mock } from 'node:test';
import { expect } from 'chai';
import type { RequestHandler } from 'express';
import {
  type AuthEvent,
  type AuthError,
  createLogin,
  createPasswords,
  type Credentials,
  type LoginOptions,
  type MerchantAccount,
} from '../../src/index.js';
import { AWA, FERMEE, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import {
  expectAccountDisabled,
  expectMalformedAccount,
  expectTooManyAttempts,
  expectWrongCredentials,
} from '../helpers/answers.js';
import { stubComputations } from '../helpers/computations.js';
import { django } from '../helpers/django-format.js';
import { recordEvents, withoutMembers } from '../helpers/events.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { phc, PHC_OF_PASSWORD } from '../helpers/hashes.js';
import { type LoginHost, logIn as logInByEmail, serveLogin } from '../helpers/login-host.js';
import { QUICK_HASH } from '../helpers/quick-passwords.js';
import { rejectionOf } from '../helpers/thrown.js';
import { collectWarnings } from '../helpers/warnings.js';

/** The result of findCredentials, with an account of any type. */
type Found = Omit<Credentials, 'identifier'> & { readonly identifier?: unknown };

describe('the identifier of an account', () => {
  let events: AuthEvent[];
  beforeEach(() => {
    events = recordEvents();
  });

  /** A host with a route to log in by a name, whose store finds what `find` returns. */
  async function serveNames(find: (name: string) => Found | null, options: LoginOptions = {}) {
    const byName: RequestHandler = (req, res, next) => {
      const [identifier = '', password = ''] = String(req.get('X-Login')).split('|').map(decodeURIComponent);
      host.login.attempt(req, { identifier, password }).then(({ account }) => void res.json(account.id), next);
    };
    const host: LoginHost = await serveLogin({
      store: { findCredentials: (name) => Promise.resolve(find(name) as Credentials | null) },
      before: [(req, res, next) => (req.path === '/by-name' ? byName(req, res, next) : next())],
      ...options,
    });
    const logIn = (name: string, password = PASSWORD, address = '203.0.113.7') => {
      const login = [name, password].map(encodeURIComponent).join('|');
      return host.client.send('POST', '/by-name', { headers: { 'X-Login': login, 'X-Forwarded-For': address } });
    };
    return { ...host, logIn };
  }

  const found = (account: MerchantAccount, identifier?: unknown): Found => {
    return { account, passwordHash: QUICK_HASH, ...(identifier !== undefined && { identifier }) };
  };

  describe('that is a user name', () => {
    const byName = (name: string) => (name.toLowerCase() === 'awa' ? found(AWA, 'awa') : null);

    it('logs in, as it is stored and as its lookup finds it', async () => {
      const warnings = collectWarnings();
      const { asked, logIn } = await serveNames(byName);
      for (const name of ['awa', 'AWA', 'Awa']) expect((await logIn(name)).text).to.equal('"1"');
      expect(asked).to.deep.equal(['awa', 'AWA', 'Awa']);
      expectWrongCredentials(await logIn('awa', WRONG));
      expectWrongCredentials(await logIn(AWA.email));
      expect(warnings).to.deep.equal([]);
    });

    it('is the key of the throttle, which counts its variants together', async () => {
      freezeTime();
      const { logIn } = await serveNames(byName);
      const variants = ['awa', 'AWA', 'Awa', ' awa', 'awa ', 'a\u200bwa', 'áwa', 'ａｗａ', 'aWA', 'awA'];
      for (const name of variants) expectWrongCredentials(await logIn(name, WRONG));
      expectTooManyAttempts(await logIn('awa'), 900);
      expectTooManyAttempts(await logIn('AWA'), 900);
      expect((await logIn('awa', PASSWORD, '203.0.113.8')).status).to.equal(200);
    });

    it('has other counters than the email of the same account', async () => {
      freezeTime();
      const { logIn } = await serveNames((name) =>
        name === 'awa' ? found(AWA, 'awa') : name === AWA.email ? found(AWA) : null,
      );
      for (let failure = 0; failure < 10; failure++) expectWrongCredentials(await logIn('awa', WRONG));
      expectTooManyAttempts(await logIn('awa'), 900);
      expect((await logIn(AWA.email)).status).to.equal(200);
    });

    it('clears its counter by a good login under another variant', async () => {
      const { logIn } = await serveNames(byName);
      for (let failure = 0; failure < 9; failure++) expectWrongCredentials(await logIn('awa', WRONG));
      expect((await logIn('AWA')).status).to.equal(200);
      for (let failure = 0; failure < 10; failure++) expectWrongCredentials(await logIn('awa', WRONG));
    });
  });

  describe('that is the email, by default', () => {
    it('logs in with any variant that its lookup finds', async () => {
      const { logIn } = await serveNames(() => found(AWA));
      for (const name of [AWA.email, AWA.email.toUpperCase(), `  ${AWA.email}`, 'awá@boutique.example']) {
        expect((await logIn(name)).status, name).to.equal(200);
      }
    });

    it('may be given as undefined', async () => {
      const { logIn } = await serveNames(() => ({ ...found(AWA), identifier: undefined }));
      expect((await logIn(AWA.email)).status).to.equal(200);
    });
  });

  describe('that differs from the sent one', () => {
    it('counts as unknown: one decoy computation, whatever the password (ASVS 6.3.8)', async () => {
      collectWarnings();
      const passwords = createPasswords();
      const { logIn } = await serveNames(() => ({ account: AWA, passwordHash: PHC_OF_PASSWORD }), { passwords });
      const computations = stubComputations(() => true);
      for (const password of [PASSWORD, WRONG]) {
        const answer = await logIn('alias@boutique.example', password);
        expectWrongCredentials(answer);
      }
      expect(computations.map(({ kind, password }) => [kind, password])).to.deep.equal([
        ['verify', PASSWORD],
        ['verify', WRONG],
      ]);
      const [one, other] = computations;
      expect(one?.hash).to.equal(other?.hash).and.not.equal(PHC_OF_PASSWORD);
      expect(one?.hash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect((await logIn(AWA.email)).status).to.equal(200);
      expect(computations[2]?.hash).to.equal(PHC_OF_PASSWORD);
    });

    it('gets the same bytes as an unknown one (ASVS 6.3.8)', async () => {
      collectWarnings();
      const { logIn } = await serveNames((name) => (name === 'alias' ? found(AWA) : null));
      const [alias, unknown] = [await logIn('alias'), await logIn('nobody')];
      expect(alias.text).to.equal(unknown.text);
      expect({ ...alias.headers, date: '' }).to.deep.equal({ ...unknown.headers, date: '' });
    });

    it('is reported in the audit with the account, and once to the host', async () => {
      const warnings = collectWarnings();
      const { logIn } = await serveNames((name) => (name === 'kofi' ? found(KOFI, 'yao') : found(AWA)));
      for (const name of ['alias', 'other', 'kofi']) expectWrongCredentials(await logIn(name));
      const failed = { type: 'login_failed', realm: 'merchant', source: '203.0.113.7', reason: 'other_identifier' };
      expect(events.map((event) => withoutMembers(event, 'time', 'emailDigest'))).to.deep.equal([
        { ...failed, accountId: AWA.id },
        { ...failed, accountId: AWA.id },
        { ...failed, accountId: KOFI.id },
      ]);
      expect(warnings).to.deep.equal([
        'A login found an account whose stored identifier is not the one that was sent, so the account counts as ' +
          'unknown. Let findCredentials return the text that its lookup matched as identifier, or rewrite the typed ' +
          'identifier before login.attempt (plus tags, phone numbers).',
      ]);
    });

    it('causes one warning for each Login, with a code', async () => {
      const codes: unknown[] = [];
      mock.method(process, 'emitWarning', (_message: string, { code }: { code: string }) => codes.push(code));
      for (let login = 0; login < 2; login++) {
        const { logIn } = await serveNames(() => found(AWA));
        for (const name of ['alias', 'other']) expectWrongCredentials(await logIn(name));
      }
      expect(codes).to.deep.equal(['EMA_OTHER_IDENTIFIER', 'EMA_OTHER_IDENTIFIER']);
    });

    it('is counted under the sent identifier, not against the account', async () => {
      collectWarnings();
      freezeTime();
      const { logIn } = await serveNames(() => found(AWA));
      for (let failure = 0; failure < 10; failure++) expectWrongCredentials(await logIn('alias'));
      expectTooManyAttempts(await logIn('alias'), 900);
      expect((await logIn(AWA.email)).status).to.equal(200);
    });

    it('does not reveal that the account is disabled', async () => {
      collectWarnings();
      const { logIn } = await serveNames(() => found(FERMEE));
      expectWrongCredentials(await logIn('alias'));
      expectAccountDisabled(await logIn(FERMEE.email));
    });

    it('holds over POST /login too', async () => {
      collectWarnings();
      const { client } = await serveNames(() => found(AWA));
      expectWrongCredentials(await logInByEmail(client, 'awa+shop@boutique.example'));
      expect((await logInByEmail(client, 'AWA@boutique.example')).status).to.equal(200);
    });
  });

  it('that is not a non-empty string is a malformed account, whatever the password', async () => {
    for (const identifier of ['', null, 7, {}, ['awa']]) {
      const { quick, hostErrors, logIn } = await serveNames(() => found(AWA, identifier));
      for (const password of [PASSWORD, WRONG]) expectMalformedAccount(await logIn('awa', password));
      const detail = 'UserStore.findCredentials returned an identifier that is not a non-empty string.';
      expect(hostErrors.map((error) => (error as AuthError).detail)).to.deep.equal([detail, detail]);
      expect(quick.compared).to.deep.equal([]);
    }
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
    const req = { headers: {}, ip: '203.0.113.1' } as unknown as IncomingMessage;
    const logIn = (identifier: string) => rejectionOf(login.attempt(req, { identifier, password: WRONG }));
    while (left.length > 0) expect(await logIn(AWA.email)).to.include({ code: 'wrong_credentials' });
    return warnings;
  }

  for (const [kind, stored, decoys] of [
    ['of bcrypt, without decoyHashes', BCRYPT, undefined],
    ['of argon2id with less memory', phc({ m: 19_455 }), undefined],
    ['of argon2id with more passes', phc({ t: 3 }), undefined],
    ['of argon2id with more lanes', phc({ p: 2 }), undefined],
    ['of argon2i at the cost of argon2id', PHC_OF_PASSWORD.replace('argon2id', 'argon2i'), undefined],
    ['of bcrypt with a lower cost', BCRYPT.replace('$12$', '$10$'), [BCRYPT, PHC_OF_PASSWORD]],
    ['of a format of the host', PBKDF2, [BCRYPT, PHC_OF_PASSWORD]],
  ] as const) {
    it(`${kind} resembles no decoy, which causes a warning without the hash`, async () => {
      expect(await warningsOf([stored], decoys)).to.deep.equal([NO_DECOY]);
    });
  }

  it('causes the warning once, whatever the next hashes are', async () => {
    expect(await warningsOf([BCRYPT, BCRYPT, PBKDF2, phc({ t: 3 })])).to.deep.equal([NO_DECOY]);
  });

  for (const [kind, stored, decoys] of [
    ['of the default cost, without decoyHashes', PHC_OF_PASSWORD, undefined],
    ['that is missing', null, undefined],
    ['that is unusable', BCRYPT.slice(0, -1), undefined],
    ['of bcrypt under another version', BCRYPT.replace('$2y$', '$2a$'), [PHC_OF_PASSWORD, BCRYPT]],
    ['of a format of the host, whose cost cannot be read', PBKDF2.replace('1000', '2000'), [PBKDF2]],
  ] as const) {
    it(`${kind} causes no warning of the decoys`, async () => {
      expect(await warningsOf([stored], decoys)).to.deep.equal([]);
    });
  }
});
