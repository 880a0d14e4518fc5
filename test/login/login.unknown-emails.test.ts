import type { IncomingMessage } from 'node:http';
import { mock } from 'node:test';
import { expect } from 'chai';
import fc from 'fast-check';
import { type AuthError, createLogin, createPasswords, type MerchantAccount, type UserStore } from '../../src/index.js';
import { AWA, KOFI, PASSWORD } from '../helpers/accounts.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { requestFrom } from '../helpers/logins-in-progress.js';
import { QUICK_HASH, quickPasswords } from '../helpers/quick-passwords.js';
import { rejectionOf } from '../helpers/thrown.js';
import { PROPERTY_TIMEOUT_MS, REQUESTS, SEED } from '../helpers/trials.js';
import { settle } from '../helpers/until.js';

/** Low limits, so that short sequences reach them. */
const LIMITS = {
  emailAndSource: { failures: 3, seconds: 60 },
  source: { failures: 6, seconds: 100 },
  email: { failures: 5, seconds: 200 },
};

type StoredRecord = (Partial<MerchantAccount> & { readonly passwordHash?: string | null }) | null;

/** The records of a store that ignores letter case. */
const RECORDS: Readonly<Record<string, StoredRecord>> = {
  'with a password': {},
  'without a password': { passwordHash: null },
  'with an unusable hash': { passwordHash: 'unusable' },
  'that is disabled': { disabled: true },
  'for other addresses': { allowedSources: ['192.0.2.1'] },
  'of another email': { email: 'other@boutique.example' },
};

interface Guess {
  readonly email: string;
  readonly password: string;
  readonly from: string;
}
type Step =
  readonly Guess[] | { readonly seconds: number } | { readonly isDown: boolean } | { readonly merchant: string };

const guess = fc.record<Guess>({
  email: fc.constantFrom(AWA.email, AWA.email, AWA.email.toUpperCase()),
  password: fc.integer({ min: 1, max: 9 }).map((number) => `wrong ${number}`),
  from: fc.constantFrom('198.51.100.1', '198.51.100.1', '198.51.100.2', 'a proxy'),
});
const wait = fc.record({ seconds: fc.constantFrom(20, 61, 101, 201) });

/** A request whose source is undetermined. */
const PROXIED = {
  headers: { via: '1.1 proxy' },
  socket: { remoteAddress: '10.0.0.1', once: () => undefined },
} as unknown as IncomingMessage;

/** Makes the steps. Resolves to all that a caller or an operator can see of each. */
async function observe(record: StoredRecord, steps: readonly Step[]): Promise<readonly Observed[]> {
  const clock = freezeTime();
  const control = controlledThrottle(LIMITS);
  const { passwords, compared } = quickPasswords(createPasswords, { maxConcurrentHashes: 1 });
  let reads = 0;
  const findCredentials: UserStore['findCredentials'] = (email) => {
    reads += 1;
    if (email === KOFI.email) return Promise.resolve({ account: KOFI, passwordHash: QUICK_HASH });
    const { passwordHash = QUICK_HASH, ...account } = record ?? {};
    return Promise.resolve(record && { account: { ...AWA, ...account }, passwordHash });
  };
  const login = createLogin(
    { findCredentials, findById: () => Promise.resolve(null) },
    { passwords, throttle: control.throttle, maxPendingLogins: 4, digestKey: 'the same digestKey for all records' },
  );
  const answerTo = async ({ email: identifier, password, from }: Guess) => {
    const req = from === 'a proxy' ? PROXIED : requestFrom(from);
    const { status, headers, ...error } = (await rejectionOf(
      login.attempt(req, { identifier, password }),
    )) as AuthError;
    return { status, headers, body: JSON.stringify(error) };
  };
  const observed: Observed[] = [];
  for (const step of steps) {
    if ('seconds' in step) clock.pass(step.seconds);
    else if ('isDown' in step) control.before = () => (step.isDown ? Promise.reject(new Error('down')) : undefined);
    else if ('merchant' in step) {
      // A merchant changes nothing for others: of this email where it can log in, otherwise another one.
      const isOfEmail = record !== null && !('passwordHash' in record || 'email' in record);
      const identifier = isOfEmail ? AWA.email : KOFI.email;
      await login.attempt(requestFrom(step.merchant), { identifier, password: PASSWORD }).catch(() => undefined);
      await settle();
    } else {
      reads = compared.length = control.calls.length = 0;
      const answers = await Promise.all(step.map(answerTo));
      await settle();
      observed.push({ answers, calls: [...control.calls], hashes: compared.length, reads });
    }
  }
  return observed;
}

interface Observed {
  readonly answers: readonly { readonly status: number; readonly headers: Readonly<Record<string, string>> }[];
  readonly calls: readonly object[];
  readonly hashes: number;
  readonly reads: number;
}

/** Predicts the seconds of `Retry-After`, or 0 for a 401, for guesses one after the other. */
function createModel() {
  const counters = new Map<string, { failures: number; ends: number }>();
  return ({ email, password, from }: Guess, now: number): number => {
    const isDetermined = from !== 'a proxy';
    const pair = { key: `pair ${from}`, ...LIMITS.emailAndSource };
    const ofEmail = { key: 'email', ...LIMITS.email };
    const limits = isDetermined ? [pair, { key: `source ${from}`, ...LIMITS.source }, ofEmail] : [ofEmail];
    const own = { key: `guess ${email} ${password} ${from}`, ...LIMITS.emailAndSource };
    const failuresOf = (key: string) => {
      const { failures, ends } = counters.get(key) ?? { failures: 0, ends: 0 };
      return ends > now ? failures : 0;
    };
    const waitFor = ({ key, failures }: typeof own) =>
      failuresOf(key) < failures ? 0 : (counters.get(key)?.ends ?? now) - now;
    const seconds = Math.max(...limits.map(waitFor)) || waitFor(own);
    if (seconds > 0) return seconds;
    for (const { key, failures, seconds: window } of failuresOf(own.key) > 0 ? [own] : [own, ...limits]) {
      const before = failuresOf(key);
      const isTimed = before === 0 || before + 1 === failures;
      counters.set(key, { failures: before + 1, ends: isTimed ? now + window : (counters.get(key)?.ends ?? now) });
    }
    return 0;
  };
}

describe('wrong passwords for an email that is unknown', () => {
  beforeEach(() => {
    collectWarnings();
    // Retry-After of `TOO_BUSY` is random.
    mock.method(Math, 'random', () => 0);
  });

  const bursts = fc.oneof(
    { weight: 8, arbitrary: fc.array(guess, { minLength: 1, maxLength: 12 }) },
    { weight: 2, arbitrary: wait },
    { weight: 1, arbitrary: fc.record({ isDown: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant({ merchant: '192.0.2.1' }) },
  );
  it('get the answers, hashes, reads and counts of an account, whatever its record', async () => {
    const statuses = new Map<number, number>();
    const records = fc.constantFrom(...Object.keys(RECORDS));
    await fc.assert(
      fc.asyncProperty(records, fc.array<Step>(bursts, { maxLength: 20 }), async (name, steps) => {
        const [unknown, known] = [await observe(null, steps), await observe(RECORDS[name] ?? null, steps)];
        expect(known).to.deep.equal(unknown);
        for (const { status } of unknown.flatMap(({ answers }) => answers)) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      }),
      { seed: SEED, numRuns: REQUESTS },
    );
    for (const status of [401, 429, 503]) expect(statuses.get(status), String(status)).to.be.greaterThan(200);
  }).timeout(PROPERTY_TIMEOUT_MS);

  it('get 429 by the rules of docs/failed-logins.md, one after the other', async () => {
    const steps = fc.array(
      fc.oneof({ weight: 8, arbitrary: guess.map((one) => [one]) }, { weight: 1, arbitrary: wait }),
      {
        size: 'large',
        maxLength: 60,
      },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (some) => {
        const model = createModel();
        let now = 1;
        const predicted = some.flatMap((step) => {
          if ('seconds' in step) now += step.seconds;
          return 'seconds' in step ? [] : step.map((one) => model(one, now));
        });
        const observed = await observe(null, some);
        const seconds = observed.flatMap(({ answers }) =>
          answers.map(({ headers }) => Number(headers['Retry-After'] ?? 0)),
        );
        expect(seconds).to.deep.equal(predicted);
      }),
      { seed: SEED, numRuns: REQUESTS },
    );
  }).timeout(PROPERTY_TIMEOUT_MS);
});
