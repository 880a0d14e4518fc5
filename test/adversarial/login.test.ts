import { once } from 'node:events';
import { expect } from 'chai';
import fc from 'fast-check';
import type { HashToCompare } from '../../src/passwords/passwords.js';
import { AWA, FERMEE, KOFI, PASSWORD } from '../helpers/accounts.js';
import { codings, encodingHeader } from '../helpers/bodies.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { DOWN_EMAIL, type LoginCase, loginOutcome, type Outcome } from '../helpers/oracle.js';
import { servePayments } from '../helpers/payments.js';
import { createSender, expectNoneOf, outcomeOf, PROPERTY_TIMEOUT_MS, tryOut } from '../helpers/trials.js';
import { until } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';

/** A login with this email waits for the store. */
const WAITING_EMAIL = 'waiting@boutique.example';

/** Some databases ignore the last character, and find the account of Awa. */
const OTHER_SPELLING = `${AWA.email}\u06de`;

/** Values that are wrong for both members. */
const misfits = fc.oneof(
  fc.constantFrom<unknown>(null, true, 12_345_678, [PASSWORD], { $ne: '' }, '', '\ud800@lone', `\udc00${PASSWORD}`),
  fc.string({ maxLength: 5 }),
  fc.integer({ min: 254, max: 258 }).map((length) => `@${'x'.repeat(length - 1)}`),
  fc.integer({ min: 254, max: 258 }).map((length) => `@${'😀'.repeat(length - 1)}`),
);
const emails = fc.oneof(
  { arbitrary: fc.constantFrom<unknown>(AWA.email, KOFI.email, FERMEE.email), weight: 12 },
  {
    arbitrary: fc.constantFrom<unknown>(DOWN_EMAIL, AWA.email.toUpperCase(), ` ${AWA.email}`, 'a@b.c', OTHER_SPELLING),
    weight: 4,
  },
  { arbitrary: fc.string({ unit: 'binary', minLength: 3 }).map((text): unknown => `${text}@x`), weight: 1 },
  { arbitrary: fc.constantFrom<unknown>('awa.boutique.example', `${AWA.email}\0`), weight: 1 },
  { arbitrary: misfits, weight: 1 },
);
const passwords = fc.oneof(
  { arbitrary: fc.constant<unknown>(PASSWORD), weight: 12 },
  {
    arbitrary: fc.constantFrom<unknown>(`${PASSWORD} `, PASSWORD.toUpperCase(), `${PASSWORD}\0`, `${PASSWORD}\ud800`),
    weight: 2,
  },
  { arbitrary: fc.string({ unit: 'binary', minLength: 3 }).map((text): unknown => `zq!${text}`), weight: 1 },
  { arbitrary: misfits, weight: 1 },
);
const extras = fc.uniqueArray(
  fc.tuple(fc.constantFrom('__proto__', 'constructor', 'Email', 'password ', 'note'), fc.jsonValue({ maxDepth: 2 })),
  { selector: ([key]) => key, maxLength: 3 },
);
const members = fc
  .tuple(
    fc.option(emails, { freq: 20 }),
    fc.option(passwords, { freq: 20 }),
    extras,
    fc.oneof(fc.nat({ max: 20_000 }), fc.integer({ min: 16_250, max: 16_450 })),
    fc.nat(8),
  )
  .map(([email, password, others, padding, die]) => {
    const all: [string, unknown][] = [...others];
    if (email !== null) all.unshift(['email', email]);
    if (password !== null) all.push(['password', password]);
    if (die === 0) all.push(['padding', 'x'.repeat(padding)]);
    return all;
  });
const bodies = fc.oneof(
  { arbitrary: members.map((all) => ({ text: objectText(all), members: new Map(all) })), weight: 20 },
  {
    arbitrary: fc
      .oneof(fc.constantFrom('', ' ', '{', '{"email":', '[]', 'null', `["${PASSWORD}"]`, `"${PASSWORD}"`), fc.string())
      .filter((text) => !/^\s*\{[^]*\}\s*$/.test(text))
      .map((text) => ({ text, members: undefined })),
    weight: 2,
  },
);
const types = fc.oneof(
  {
    arbitrary: fc.constantFrom('application/json', 'Application/JSON', 'application/json; charset="UTF-8"'),
    weight: 15,
  },
  {
    arbitrary: fc.constantFrom(
      undefined,
      'text/plain',
      'application/json5',
      'application/vnd.api+json',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
    ),
    weight: 2,
  },
);
const logins = fc.record({
  type: types,
  coding: codings,
  body: bodies,
  isChunked: fc.boolean(),
  isThrottled: fc.nat(8).map((die) => die === 0),
  isBusy: fc.nat(8).map((die) => die === 0),
  query: fc.constantFrom('', `?email=${AWA.email}&password=${PASSWORD}`),
  // The host has named no proxy.
  forwardedFor: fc.constantFrom(undefined, '203.0.113.7', '203.0.113.7:4711, [2001:db8::1]:80', 'unknown', ''),
});

function objectText(all: readonly (readonly [string, unknown])[]): string {
  return `{${all.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`;
}

const MET: readonly Outcome[] = [
  '200',
  '400 invalid_body',
  '401 wrong_credentials',
  '401 account_disabled',
  '429 too_many_attempts',
  '503 too_busy',
  '503 store_unavailable',
];

onEachExpress('any login', (framework) => {
  it('is answered as docs/interface.md says for its body, and the answer never contains its password (ASVS 2.2.1)', async function () {
    this.timeout(PROPERTY_TIMEOUT_MS);
    const { auth } = framework;
    const now = { isThrottled: false };
    const throttle = Object.assign(auth.createLoginThrottle(), {
      check: () => Promise.resolve({ seconds: now.isThrottled ? 7 : 0, isKnown: false }),
      fail: () => Promise.resolve(0),
    });
    const passwords = Object.assign(auth.createPasswords({ maxConcurrentHashes: 1 }), {
      compare: (password: string, hash: HashToCompare) => Promise.resolve(!hash.isDecoy && password === PASSWORD),
      upgrade: () => Promise.resolve(undefined),
    });
    collectWarnings();
    const release = new AbortController();
    const waiting: string[] = [];
    const serveLogins = async () => {
      const storeTimeoutMs = 2 * PROPERTY_TIMEOUT_MS;
      const login = { passwords, throttle, maxPendingLogins: 1, storeTimeoutMs };
      const { client, store } = await servePayments(framework, { login });
      const find = store.findCredentials.bind(store);
      store.findCredentials = async (email) => {
        if (email === DOWN_EMAIL) throw new Error('down');
        if (email === WAITING_EMAIL) {
          waiting.push(email);
          await once(release.signal, 'abort');
        }
        return find(email === OTHER_SPELLING ? AWA.email : email);
      };
      return client;
    };
    const sendToFree = createSender((await serveLogins()).port);
    // A login that waits for the store takes the only place until the end of the test.
    const busy = await serveLogins();
    const waiter = busy.send('POST', '/v1/login', { body: { email: WAITING_EMAIL, password: PASSWORD } });
    await until(() => waiting.length === 1);
    const sendToBusy = createSender(busy.port);

    await tryOut(
      logins,
      MET,
      async (login) => {
        const { type, coding, body, isChunked, query, forwardedFor } = login;
        now.isThrottled = login.isThrottled;
        const send = login.isBusy ? sendToBusy : sendToFree;
        const bytes = Buffer.from(body.text, 'utf8');
        const contentType: [string, string][] = type === undefined ? [] : [['Content-Type', type]];
        const forwarded: [string, string][] = forwardedFor === undefined ? [] : [['X-Forwarded-For', forwardedFor]];
        const reply = await send({
          method: 'POST',
          path: `/v1/login${query}`,
          headers: [...contentType, ...forwarded, ...encodingHeader(coding)],
          body: coding.encode(bytes),
          isChunked,
        });

        const given: LoginCase = {
          isJson: type?.toLowerCase().split(';')[0] === 'application/json',
          isReadable: coding.isReadable && type?.includes('latin1') !== true,
          bytes: bytes.length,
          members: body.members,
          isThrottled: login.isThrottled,
          isBusy: login.isBusy,
        };
        const password = body.members?.get('password');
        const secrets = [PASSWORD, ...(typeof password === 'string' && password.length > 5 ? [password] : [])];
        const outcome = outcomeOf(reply, secrets);
        expect(outcome, reply.text).to.equal(loginOutcome(given));
        expectNoneOf(secrets, reply);
        if (outcome === '200') {
          expect(reply.headers['cache-control']).to.equal('no-store');
          const answer = JSON.parse(reply.text) as Record<string, { email?: unknown }>;
          expect(Object.keys(answer).join()).to.equal('status,success,code,message,user,marchand,authorisation');
          expect(answer['user']?.email).to.equal(body.members?.get('email'));
        }
        return outcome;
      },
      framework.major,
    );
    release.abort();
    await waiter;
  });
});
