import { expect } from 'chai';
import type { PasswordFormat } from '../../src/index.js';
import { createPasswords } from '../../src/passwords/passwords.js';
import { PASSWORD_HASH } from '../helpers/accounts.js';
import { STORE_UNAVAILABLE } from '../helpers/answers.js';
import { stubComputations } from '../helpers/computations.js';
import { django } from './django-format.js';
import { expectNothingUnhandled } from '../helpers/diagnostics.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { expectAuthError, expectTypeError, rejectionOf } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';

/** From the tests of Django (tests/utils_tests/test_crypto.py and tests/auth_tests/test_hashers.py). */
const DJANGO_HASH = 'pbkdf2_sha256$10000$seasalt$CWWFdHOWwPnki7HvkcqN9iA2T3KLW1cf2uZ5kvArtVY=';
const DJANGO_PASSWORD = 'lètmein';

describe('a format of the host', () => {
  it('is verified beside the known ones, as its own system did', async () => {
    const passwords = createPasswords({ formats: [django] });
    expect(await passwords.verify(DJANGO_PASSWORD, DJANGO_HASH)).to.equal(true);
    for (const other of ['letmein', 'lètmei', 'lètmeinz', '']) {
      expect(await passwords.verify(other, DJANGO_HASH), other).to.equal(false);
    }
    expect(await passwords.verify('baobab-2026', PASSWORD_HASH)).to.equal(true);
    expect(await createPasswords().verify(DJANGO_PASSWORD, DJANGO_HASH)).to.equal(false);
  });

  it('leads to an upgrade after a match', async () => {
    const passwords = createPasswords({ formats: [django] });
    expect(passwords.needsRehash(DJANGO_HASH)).to.equal(true);
    const next = (await passwords.upgrade(DJANGO_PASSWORD, DJANGO_HASH)) ?? '';
    expect(passwords.needsRehash(next)).to.equal(false);
    expect(await passwords.verify(DJANGO_PASSWORD, next)).to.equal(true);
  });

  it('costs one decoy for a hash that it does not identify', async () => {
    const passwords = createPasswords({ formats: [django] });
    const computations = stubComputations(() => true);
    expect(await passwords.verify(DJANGO_PASSWORD, DJANGO_HASH.slice(0, -1))).to.equal(false);
    expect(computations).to.have.length(1);
  });

  it('can be the format of the decoys', async () => {
    const computed: string[] = [];
    const counted: PasswordFormat = {
      ...django,
      verify: (_password, hash) => {
        computed.push(hash);
        return Promise.resolve(true);
      },
    };
    const passwords = createPasswords({ formats: [counted], decoyHashes: [DJANGO_HASH] });
    const computations = stubComputations(() => true);
    for (const hash of [null, '', 'unknown']) expect(await passwords.verify(DJANGO_PASSWORD, hash)).to.equal(false);
    expect(computed).to.deep.equal([DJANGO_HASH, DJANGO_HASH, DJANGO_HASH]);
    expect(computations).to.deep.equal([]);
  });

  it('is asked after the known ones, and in the order in which the host lists them', async () => {
    const asked: string[] = [];
    const greedy = (name: string): PasswordFormat => ({
      name,
      identify: () => true,
      verify: (_password, hash) => {
        asked.push(`${name} ${hash}`);
        return Promise.resolve(true);
      },
    });
    const passwords = createPasswords({ formats: [greedy('one'), greedy('other')] });
    stubComputations(() => false);
    expect(await passwords.verify('baobab-2026', PASSWORD_HASH)).to.equal(false);
    expect(await passwords.verify('baobab-2026', 'plain')).to.equal(true);
    expect(asked).to.deep.equal(['one plain']);
  });

  it('matches only with true', async () => {
    for (const result of [1, 'true', {}, undefined]) {
      const odd = { name: 'odd', identify: () => true, verify: () => Promise.resolve(result as never) };
      expect(await createPasswords({ formats: [odd] }).verify('baobab-2026', 'odd')).to.equal(false);
    }
  });

  it('rejects with the error that its identify or verify throws, and frees the slot', async () => {
    const reason = new Error('a mistake in the format');
    const throwing = () => {
      throw reason;
    };
    for (const broken of [
      { identify: throwing },
      { identify: () => true, verify: throwing },
      { identify: () => true, verify: () => Promise.reject(reason) },
    ]) {
      const passwords = createPasswords({ formats: [{ ...django, ...broken }], maxConcurrentHashes: 1 });
      expect(await rejectionOf(passwords.verify('baobab-2026', 'stored'))).to.equal(reason);
      expect(await passwords.verify('baobab-2026', PASSWORD_HASH)).to.equal(true);
    }
  });

  it('is a 503 with a cause when it has not settled in 5 s, and is refused at once until it has', async () => {
    const time = freezeTime();
    const ends: (() => void)[] = [];
    const hanging = {
      name: 'hanging',
      identify: (hash: string) => hash === 'old',
      verify: () => new Promise<boolean>((resolve) => ends.push(() => resolve(true))),
    };
    const passwords = createPasswords({ formats: [hanging, django], maxConcurrentHashes: 2 });
    const late = [0, 1].map(() => rejectionOf(passwords.verify('baobab-2026', 'old')));
    await settle();
    time.pass(5);
    const refused = [...(await Promise.all(late)), await rejectionOf(passwords.verify('baobab-2026', 'old'))];
    expect(passwords.load()).to.deep.equal({ running: 0, waiting: 0 });
    for (const error of refused) {
      const { status, detail, cause } = expectAuthError(error, STORE_UNAVAILABLE);
      expect([status, detail]).to.deep.equal([503, 'The password format hanging failed.']);
      expect(cause).to.have.property('message', 'verify of the password format hanging has not settled within 5000 ms');
    }
    expect(await passwords.verify(DJANGO_PASSWORD, DJANGO_HASH)).to.equal(true);
    ends[0]?.();
    await settle();
    expectAuthError(await rejectionOf(passwords.verify('baobab-2026', 'old')), STORE_UNAVAILABLE);
    ends[1]?.();
    await settle();
    const next = passwords.verify('baobab-2026', 'old');
    await settle();
    ends[2]?.();
    expect(await next).to.equal(true);
  });

  it('whose identify is async throws at construction', async () => {
    const message = `createPasswords: identify of the format ${django.name} must not be async.`;
    for (const identify of [() => Promise.resolve(true), () => Promise.reject(new Error('a mistake in the format'))]) {
      await expectNothingUnhandled(async () => {
        expectTypeError(() => createPasswords({ formats: [{ ...django, identify: identify as never }] }), message);
        await Promise.resolve();
      });
    }
  });

  it('is complete, and is one of a list whose formats have different names', () => {
    const hint = 'A format is { name, identify(hash), verify(password, hash) }.';
    const noIdentify = `a format has no method identify. ${hint}`;
    for (const [formats, problem] of [
      [{}, `formats must be a list of formats. ${hint}`],
      [null, `formats must be a list of formats. ${hint}`],
      [[{ ...django, name: 5 }], `a format has no name. ${hint}`],
      [[{ ...django, name: '' }], `a format has no name. ${hint}`],
      [[django, { ...django, verify: undefined }], `a format has no method verify. ${hint}`],
      [[django, { ...django, identify: undefined }], noIdentify],
      [[django, null], noIdentify],
      [
        [django, { ...django, name: 'other' }, { ...django }],
        `formats has two formats with the name ${django.name}. Give each another name.`,
      ],
    ] as const) {
      expectTypeError(() => createPasswords({ formats: formats as never }), `createPasswords: ${problem}`);
    }
  });
});
