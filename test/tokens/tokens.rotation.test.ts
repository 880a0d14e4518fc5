import { createPrivateKey, createPublicKey, type KeyPairKeyObjectResult } from 'node:crypto';
import { expect } from 'chai';
import type { RequestHandler } from 'express';
import type { Algorithm, KeyConfig, MerchantAccount } from '../../src/index.js';
import { createTokens } from '../../src/tokens/tokens.js';
import { AWA, KOFI } from '../helpers/accounts.js';
import { expectInvalidToken } from '../helpers/answers.js';
import { type Answer, bearer } from '../helpers/http.js';
import { contentOf, ecPair, pemOf, rsaPair, rsaPssPair } from '../helpers/keys.js';
import { FRAMEWORK } from '../helpers/framework.js';
import { logIn, tokenOf } from '../helpers/login-host.js';
import { servePayments } from '../helpers/payments.js';
import { QUICK_HASH, quickPasswords } from '../helpers/quick-passwords.js';
import { expectAuthError, expectTypeError, thrownBy } from '../helpers/thrown.js';
import { readToken } from '../helpers/tokens.js';

const REQUESTS = 300;

/** Makes the key of a generation. */
function generation(number: number): KeyConfig {
  return { kid: `k${number}`, algorithm: 'HS256', secret: `the secret of generation ${number}`.padEnd(32, '.') };
}

function kidOf(token: string): unknown {
  return readToken(token).header['kid'];
}

function merchantAt(index: number) {
  return index % 2 === 0 ? AWA : KOFI;
}

/** Asserts that an answer is for this merchant. */
function expectOwn(answer: Answer, { id, marchand }: MerchantAccount): void {
  expect(answer.text).to.contain(`"id":"${id}","referencl":"${marchand.referencl}"`);
  expect(answer.status).to.equal(200);
}

describe('replaceKeys', () => {
  it('gives no wrong answer in 20 rotations between overlapping verifications', async () => {
    const tokens = createTokens({ keys: [generation(0)] });
    const ring = new Set(['k0']);
    const issued: { readonly token: string; readonly account: MerchantAccount }[] = [];
    const outcomes = { accepted: 0, refused: 0 };

    const use = async (index: number) => {
      const account = merchantAt(index);
      issued.push({ token: tokens.issue(account), account });
      await Promise.resolve();
      for (const { token, account: owner } of issued.slice(-30).filter((_, place) => place % 3 === 0)) {
        if (ring.has(String(kidOf(token)))) {
          expect(tokens.verify(token)).to.include({ sub: owner.id, referencl: owner.marchand.referencl });
          outcomes.accepted += 1;
        } else {
          expectAuthError(
            thrownBy(() => tokens.verify(token)),
            'invalid_token',
          );
          outcomes.refused += 1;
        }
        await Promise.resolve();
      }
    };
    const overlapping: Promise<void>[] = [];
    for (let number = 1; number <= 20; number++) {
      const start = () => overlapping.push(...Array.from({ length: 20 }, (_, index) => use(index)));
      start();
      tokens.replaceKeys([generation(number), generation(number - 1)]);
      ring.add(`k${number}`);
      start();
      await Promise.resolve();
      await Promise.resolve();
      tokens.replaceKeys([generation(number)]);
      ring.delete(`k${number - 1}`);
    }
    await Promise.all(overlapping);
    expect(outcomes.accepted).to.be.above(1_000);
    expect(outcomes.refused).to.be.above(100);
  });
});

describe('replaceKeys under load', () => {
  const { auth } = FRAMEWORK;

  it(`answers each of ${REQUESTS} requests in flight for its own merchant, while new keys come first and old ones stay`, async () => {
    const tokens = auth.createTokens({ keys: [generation(1)] });
    let arrived = 0;
    const rotate: RequestHandler = (_req, _res, next) => {
      arrived += 1;
      if (arrived % 50 === 0) {
        const newest = 1 + arrived / 50;
        tokens.replaceKeys(Array.from({ length: newest }, (_, index) => generation(newest - index)));
      }
      next();
    };
    const { client } = await servePayments(FRAMEWORK, { before: [rotate], guard: { tokens }, login: { tokens } });
    const headers = [AWA, KOFI].map((account) => bearer(tokens.issue(account)));
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, (_, index) =>
        client.send('GET', '/v1/guarded', { headers: headers[index % 2] ?? {} }),
      ),
    );
    answers.forEach((answer, index) => expectOwn(answer, merchantAt(index)));
    expect(kidOf(tokens.issue(AWA))).to.equal('k7');
  });

  it(`refuses the tokens of a dropped key from the next of ${REQUESTS} requests on, and no other (ASVS 7.4.5)`, async () => {
    const tokens = auth.createTokens({ keys: [generation(2), generation(1)] });
    const older = auth.createTokens({ keys: [generation(1)] });
    let arrived = 0;
    const drop: RequestHandler = (_req, res, next) => {
      arrived += 1;
      if (arrived === REQUESTS / 2) tokens.replaceKeys([generation(2)]);
      res.setHeader('X-Ring', arrived < REQUESTS / 2 ? 'k1 k2' : 'k2');
      next();
    };
    const { client } = await servePayments(FRAMEWORK, { before: [drop], guard: { tokens } });
    const held = [older, tokens].flatMap((issuer) => [AWA, KOFI].map((account) => issuer.issue(account)));
    const counts = { accepted: 0, refused: 0 };
    await Promise.all(
      Array.from({ length: REQUESTS }, async (_, index) => {
        const token = held[index % held.length] ?? '';
        const answer = await client.send('GET', '/v1/guarded', { headers: bearer(token) });
        if (String(answer.headers['x-ring']).includes(String(kidOf(token)))) {
          expectOwn(answer, merchantAt(index));
          counts.accepted += 1;
        } else {
          expectInvalidToken(answer);
          counts.refused += 1;
        }
      }),
    );
    expect(counts.accepted + counts.refused).to.equal(REQUESTS);
    expect(counts.refused).to.be.above(0);
  });

  it('does not verify the token again after the account was read', async () => {
    const tokens = auth.createTokens({ keys: [generation(1)] });
    const findById = (id: string) => {
      tokens.replaceKeys([generation(2)]);
      return Promise.resolve(id === AWA.id ? AWA : KOFI);
    };
    const userStore = { findById, findCredentials: () => Promise.resolve(null) };
    const { client } = await servePayments(FRAMEWORK, { guard: { tokens, userStore } });
    const headers = bearer(tokens.issue(AWA));
    expectOwn(await client.send('GET', '/v1/guarded', { headers }), AWA);
    expectInvalidToken(await client.send('GET', '/v1/guarded', { headers }));
  });

  it('signs the token of a login in flight with the first key at its end', async () => {
    const tokens = auth.createTokens({ keys: [generation(1)] });
    const quick = quickPasswords(auth.createPasswords);
    quick.verify = () => {
      tokens.replaceKeys([generation(2), generation(1)]);
      return Promise.resolve(true);
    };
    const login = { tokens, passwords: quick.passwords };
    const { client, store } = await servePayments(FRAMEWORK, { guard: { tokens }, login });
    store.put({ ...AWA, passwordHash: QUICK_HASH });
    const first = tokenOf(await logIn(client));
    expect(kidOf(first)).to.equal('k2');
    expectOwn(await client.send('GET', '/v1/guarded', { headers: bearer(first) }), AWA);
  });

  it('keeps its key set when the new one is wrong', async () => {
    const tokens = auth.createTokens({ keys: [generation(1)] });
    const { client } = await servePayments(FRAMEWORK, { guard: { tokens } });
    const headers = bearer(tokens.issue(AWA));
    const requests = Array.from({ length: 20 }, () => client.send('GET', '/v1/guarded', { headers }));
    const bad = [generation(2), { kid: 'k1', algorithm: 'HS256', secret: 'short' } as const];
    expect(thrownBy(() => tokens.replaceKeys(bad))).to.be.instanceOf(TypeError);
    for (const answer of await Promise.all(requests)) expectOwn(answer, AWA);
  });
});

describe('Keys as hosts have them', () => {
  const pairs: Readonly<Record<Exclude<Algorithm, `HS${string}`>, () => KeyPairKeyObjectResult>> = {
    RS256: rsaPair,
    RS384: rsaPair,
    RS512: rsaPair,
    PS256: rsaPair,
    PS384: rsaPair,
    PS512: rsaPair,
    ES256: ecPair.prime256v1,
    ES384: ecPair.secp384r1,
    ES512: ecPair.secp521r1,
  };
  const names = ['PRIVATE_KEY', 'PUBLIC_KEY'] as const;

  afterEach('clean the environment', () => {
    for (const name of names) Reflect.deleteProperty(process.env, name);
  });

  /** Puts the pair into two environment variables, as the shell or an .env file does. */
  function throughEnvironment(pair: KeyPairKeyObjectResult, write: (pem: string) => string) {
    process.env['PRIVATE_KEY'] = write(pemOf(pair.privateKey));
    process.env['PUBLIC_KEY'] = write(pemOf(pair.publicKey));
    return { privateKey: process.env['PRIVATE_KEY'], publicKey: process.env['PUBLIC_KEY'] };
  }

  for (const [algorithm, pair] of Object.entries(pairs)) {
    it(`sign and verify ${algorithm} as PEM, as PEM from the environment, as KeyObjects and as JWK`, () => {
      const { privateKey, publicKey } = pair();
      const forms = {
        pem: { privateKey: pemOf(privateKey), publicKey: pemOf(publicKey) },
        escaped: throughEnvironment(pair(), (pem) => pem.replaceAll('\n', '\\n')),
        multiline: throughEnvironment(pair(), (pem) => pem),
        crlf: throughEnvironment(pair(), (pem) => pem.replaceAll('\n', '\r\n')),
        trimmed: throughEnvironment(pair(), (pem) => pem.trim()),
        keyObjects: { privateKey, publicKey },
        jwk: {
          privateKey: createPrivateKey({ key: privateKey.export({ format: 'jwk' }), format: 'jwk' }),
          publicKey: createPublicKey({ key: publicKey.export({ format: 'jwk' }), format: 'jwk' }),
        },
      };
      const key = { kid: 'k1', algorithm: algorithm as keyof typeof pairs };
      const verifiers = Object.values(forms).map((form) =>
        createTokens({ keys: [{ ...key, publicKey: form.publicKey }] }),
      );
      for (const [name, form] of Object.entries(forms)) {
        const token = createTokens({ keys: [{ ...key, ...form }] }).issue(AWA);
        expect(readToken(token).header, name).to.include({ alg: algorithm, kid: 'k1' });
        for (const verifier of verifiers) expect(verifier.verify(token), name).to.include({ sub: AWA.id });
      }
    });
  }

  it('sign and verify PS256 with an RSA-PSS pair as PEM from the environment', () => {
    const form = throughEnvironment(rsaPssPair[256](), (pem) => pem.replaceAll('\n', '\\n'));
    const tokens = createTokens({ keys: [{ kid: 'k1', algorithm: 'PS256', ...form }] });
    expect(tokens.verify(tokens.issue(AWA)).sub).to.equal(AWA.id);
  });

  it('cause an error that says why they cannot be read, and never contains them', () => {
    const { privateKey, publicKey } = rsaPair();
    const pem = { privateKey: pemOf(privateKey), publicKey: pemOf(publicKey) };
    const secrets = [...contentOf(pem.privateKey), ...contentOf(pem.publicKey)];
    const make = (members: object) => () =>
      createTokens({ keys: [{ kid: 'k1', algorithm: 'RS256', ...members } as KeyConfig] });
    const where = 'createTokens: key "k1": ';
    const noText = "must be PEM text or a KeyObject (for a JWK: createPublicKey({ key, format: 'jwk' })).";
    const unreadable = 'is not PEM text that can be read.';
    const expected: [object, string][] = [
      [{ publicKey: publicKey.export({ format: 'jwk' }) }, `publicKey ${noText}`],
      [{ ...pem, privateKey: privateKey.export({ format: 'jwk' }) }, `privateKey ${noText}`],
      [{ publicKey: publicKey.export({ type: 'spki', format: 'der' }) }, `publicKey ${noText}`],
      [{ publicKey: process.env['PUBLIC_KEY'] }, `publicKey ${noText}`],
      [{ publicKey: '' }, `publicKey ${unreadable}`],
      [{ publicKey: contentOf(pem.publicKey).join('') }, `publicKey ${unreadable}`],
      [{ ...pem, privateKey: contentOf(pem.privateKey).join('\n') }, `privateKey ${unreadable}`],
      [{ ...pem, privateKey: pem.privateKey.replaceAll('\n', ' ') }, `privateKey ${unreadable}`],
      [{ ...pem, privateKey: pem.privateKey.replaceAll('\n', '\\r\\n') }, `privateKey ${unreadable}`],
      [{ ...pem, privateKey: JSON.stringify(pem.privateKey) }, `privateKey ${unreadable}`],
      [{ ...pem, privateKey: './keys/private.pem' }, `privateKey ${unreadable}`],
      [{ ...pem, privateKey: pem.publicKey }, `privateKey ${unreadable}`],
      [
        { publicKey: pem.privateKey },
        'publicKey holds a private key. Give the public half, so that the other stays secret.',
      ],
    ];
    for (const [members, problem] of expected) expectTypeError(make(members), where + problem, ...secrets);
  });
});
