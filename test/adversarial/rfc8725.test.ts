import { createHmac, createPublicKey, createSecretKey } from 'node:crypto';
import type http from 'node:http';
import { expect } from 'chai';
import { AWA } from '../helpers/accounts.js';
import { bearer, serve } from '../helpers/http.js';
import { ecPair, otherEcPair, pemOf, rsaPair, shortRsaPair } from '../helpers/keys.js';
import { expectAuthError, thrownBy } from '../helpers/thrown.js';
import { craftToken, type Crafted, readToken } from '../helpers/tokens.js';
import { createTokens, type KeyConfig, type Tokens } from '../../src/index.js';
import { FRAMEWORK } from '../helpers/framework.js';
import { servePayments } from '../helpers/payments.js';

const SECRET = 'the secret of these best practices, 64 bytes or more, so that HS512 is served';
const NOW = 1_800_000_000;
const clock = () => NOW * 1000;
const HEADER = { alg: 'HS256', typ: 'at+jwt', kid: 'k' };
const CLAIMS = {
  iss: 'express-merchant-auth/merchant',
  sub: AWA.id,
  iat: NOW,
  exp: NOW + 18_000,
  jti: 'id',
  referencl: AWA.marchand.referencl,
};

const hs256: KeyConfig = { kid: 'k', algorithm: 'HS256', secret: SECRET };

/** Returns one key for each algorithm. Its `kid` is the name of the algorithm. */
function everyAlgorithm(): KeyConfig[] {
  const secrets = (['HS256', 'HS384', 'HS512'] as const).map((algorithm) => {
    return { kid: algorithm, algorithm, secret: `${algorithm} ${SECRET}` };
  });
  const rsa = (['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const).map((algorithm) => {
    return { kid: algorithm, algorithm, ...rsaPair() };
  });
  const ec = [
    { kid: 'ES256', algorithm: 'ES256', ...ecPair.prime256v1() },
    { kid: 'ES384', algorithm: 'ES384', ...ecPair.secp384r1() },
    { kid: 'ES512', algorithm: 'ES512', ...ecPair.secp521r1() },
  ] as const;
  return [...secrets, ...rsa, ...ec];
}

function verifier(keys: readonly KeyConfig[] = [hs256], options: object = {}): Tokens {
  return createTokens({ keys, clock, ...options });
}

function expectAccepted(tokens: Tokens, crafted: Partial<Crafted> = {}): void {
  const token = craftToken({ header: HEADER, payload: CLAIMS, key: SECRET, ...crafted });
  expect(tokens.verify(token)).to.include({ sub: AWA.id });
}

function expectRefused(tokens: Tokens, crafted: Partial<Crafted> | string): void {
  const token =
    typeof crafted === 'string' ? crafted : craftToken({ header: HEADER, payload: CLAIMS, key: SECRET, ...crafted });
  expectAuthError(
    thrownBy(() => tokens.verify(token)),
    'invalid_token',
  );
}

function expectRefusedKey(key: KeyConfig | object): void {
  expect(thrownBy(() => createTokens({ keys: [key as KeyConfig] }))).to.be.instanceOf(TypeError);
}

describe('RFC 8725, JSON Web Token best current practices', () => {
  describe('section 2, the threats', () => {
    it('2.1 weak signatures: refuses an unsigned token, and a public key as an HMAC secret', () => {
      const { publicKey, privateKey } = rsaPair();
      const tokens = verifier([{ kid: 'k', algorithm: 'RS256', publicKey }]);
      expectAccepted(tokens, { header: { ...HEADER, alg: 'RS256' }, key: privateKey });
      for (const alg of ['none', 'None', 'NONE', 'nOnE', '', undefined]) {
        expectRefused(tokens, { header: { ...HEADER, alg }, key: '' });
        const [header, payload] = craftToken({ header: { ...HEADER, alg }, payload: CLAIMS }).split('.');
        expectRefused(tokens, `${header ?? ''}.${payload ?? ''}.`);
      }
      const pem = pemOf(publicKey);
      for (const key of [pem, pem.trimEnd(), publicKey.export({ type: 'spki', format: 'der' }).toString('latin1')]) {
        expectRefused(tokens, { header: { ...HEADER, alg: 'HS256' }, key });
        expectRefused(tokens, { header: { ...HEADER, alg: 'RS256' }, key, algorithm: 'HS256' });
      }
    });

    it('2.2 weak symmetric keys: refuses a secret that is shorter than its hash, given or from the environment', () => {
      expect(() => createTokens({ secret: SECRET.slice(0, 32) })).not.to.throw();
      expect(thrownBy(() => createTokens({ secret: SECRET.slice(0, 31) }))).to.be.instanceOf(TypeError);
      const before = process.env['JWT_SECRET'];
      process.env['JWT_SECRET'] = 'secret';
      try {
        expect(thrownBy(() => createTokens())).to.be.instanceOf(TypeError);
      } finally {
        process.env['JWT_SECRET'] = before;
      }
    });

    it('2.6 multiplicity of JSON encodings: refuses a token whose parts are JSON in UTF-16', () => {
      const utf8 = (value: object) => Buffer.from(JSON.stringify(value), 'utf8');
      const utf16 = (value: object) => Buffer.from(JSON.stringify(value), 'utf16le');
      expect(verifier().verify(resigned(utf8(HEADER), utf8(CLAIMS)))).to.include({ sub: AWA.id });
      expectRefused(verifier(), resigned(utf8(HEADER), utf16(CLAIMS)));
      expectRefused(verifier(), resigned(utf16(HEADER), utf8(CLAIMS)));
    });

    it('2.7 substitution: refuses a token of another issuer or for another audience, also with the same key (ASVS 9.2.4)', () => {
      const here = { issuer: 'https://pay.example', audience: 'payments' };
      const issuedFor = (options: object) => createTokens({ secret: SECRET, clock, ...options }).issue(AWA);
      const tokens = createTokens({ secret: SECRET, clock, ...here });
      expect(tokens.verify(issuedFor(here))).to.include({ sub: AWA.id });
      expectRefused(tokens, issuedFor({ ...here, audience: 'reports' }));
      expectRefused(tokens, issuedFor({ ...here, issuer: 'https://evil.example' }));
      expectRefused(tokens, issuedFor({ issuer: here.issuer }));
    });

    it('2.8 cross-JWT confusion: refuses another kind of JWT that the same key signed', () => {
      for (const typ of ['JWT', 'logout+jwt', 'secevent+jwt', 'dpop+jwt', undefined]) {
        expectRefused(verifier(), { header: { ...HEADER, typ } });
      }
    });
  });

  describe('section 3, the practices', () => {
    it('3.1 algorithm verification: uses a key only with its one algorithm, whatever the header says', () => {
      const keys = everyAlgorithm();
      const tokens = verifier(keys);
      for (const { kid, algorithm } of keys) {
        for (const other of keys) {
          const key = signingKeyOf(other);
          const header = { alg: other.algorithm, typ: 'at+jwt', kid };
          if (other.kid === kid) expectAccepted(tokens, { header, key });
          else expectRefused(tokens, { header, key });
          if (other.kid !== kid)
            expectRefused(tokens, { header: { ...header, alg: algorithm }, key, algorithm: other.algorithm });
        }
      }
    });

    it('3.2 appropriate algorithms: refuses a key for none, RSA1_5, ES256K, EdDSA or an unknown algorithm', () => {
      for (const algorithm of [
        'none',
        'RSA1_5',
        'HS1',
        'MD5',
        'ES256K',
        'EdDSA',
        'Ed25519',
        'dir',
        'toString',
        '',
        undefined,
      ]) {
        expectRefusedKey({ kid: 'k', algorithm, secret: SECRET, ...ecPair.secp256k1() });
      }
    });

    it('3.3 all cryptographic operations: refuses a token of each algorithm after a change of one bit in any part, also of an unused bit', () => {
      const keys = everyAlgorithm();
      const tokens = verifier(keys);
      for (const config of keys) {
        const header = { alg: config.algorithm, typ: 'at+jwt', kid: config.kid };
        const token = craftToken({ header, payload: CLAIMS, key: signingKeyOf(config) });
        expect(tokens.verify(token)).to.include({ sub: AWA.id });
        const parts = token.split('.');
        // A signature whose length is a multiple of three bytes has no unused bits.
        if (Buffer.from(parts[2] ?? '', 'base64url').length % 3 !== 0) expectRefused(tokens, withSpareBit(token));
        for (let i = 0; i < parts.length; i += 1) {
          const bytes = Buffer.from(parts[i] ?? '', 'base64url');
          for (const at of [0, bytes.length >> 1, bytes.length - 1]) {
            const changed = Buffer.from(bytes);
            changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
            expectRefused(tokens, parts.with(i, changed.toString('base64url')).join('.'));
          }
        }
      }
    });

    it('3.4 cryptographic inputs: refuses a point off the curve, a key on another curve and a signature of zeros', () => {
      const { publicKey, privateKey } = ecPair.prime256v1();
      const tokens = verifier([{ kid: 'k', algorithm: 'ES256', publicKey }]);
      const header = { ...HEADER, alg: 'ES256' };
      expectAccepted(tokens, { header, key: privateKey });
      const [head, payload, signature = ''] = craftToken({ header, payload: CLAIMS, key: privateKey }).split('.');
      const half = Buffer.from(signature, 'base64url').subarray(0, 32);
      const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
      for (const bytes of [
        Buffer.alloc(64),
        Buffer.concat([half, Buffer.alloc(32)]),
        Buffer.concat([Buffer.alloc(32), half]),
        Buffer.concat([order, order]),
        Buffer.concat([Buffer.from(signature, 'base64url'), Buffer.alloc(1)]),
        Buffer.from(signature, 'base64url').subarray(1),
      ]) {
        expectRefused(tokens, `${head ?? ''}.${payload ?? ''}.${bytes.toString('base64url')}`);
      }

      const jwk = publicKey.export({ format: 'jwk' });
      const elsewhere = otherEcPair().publicKey.export({ format: 'jwk' });
      expect(() => createPublicKey({ key: { ...jwk, y: elsewhere.y ?? '' }, format: 'jwk' })).to.throw();
      for (const pair of [ecPair.secp256k1(), ecPair.secp384r1(), ecPair.secp521r1(), rsaPair()]) {
        expectRefusedKey({ kid: 'k', algorithm: 'ES256', publicKey: pair.publicKey });
      }
    });

    it('3.5 entropy of keys: refuses a secret under 32, 48 or 64 bytes or of few distinct bytes, and an RSA key under 2048 bits', () => {
      for (const [algorithm, bytes] of [
        ['HS256', 32],
        ['HS384', 48],
        ['HS512', 64],
      ] as const) {
        const secret = Buffer.from(SECRET).subarray(0, bytes);
        expect(() => verifier([{ kid: 'k', algorithm, secret }])).not.to.throw();
        expectRefusedKey({ kid: 'k', algorithm, secret: secret.subarray(1) });
        expectRefusedKey({ kid: 'k', algorithm, secret: createSecretKey(secret.subarray(1)) });
        expectRefusedKey({ kid: 'k', algorithm, secret: Buffer.alloc(bytes, 7) });
        expectRefusedKey({ kid: 'k', algorithm, secret: 'x'.repeat(bytes) });
      }
      for (const algorithm of ['RS256', 'PS256'] as const) {
        expectRefusedKey({ kid: 'k', algorithm, publicKey: shortRsaPair().publicKey });
      }
    });

    it('3.6 no compression of encrypted content (with 2.3 to 2.5): refuses encrypted tokens, compressed or not', () => {
      for (const zip of ['DEF', undefined]) {
        const header = Buffer.from(JSON.stringify({ ...HEADER, alg: 'dir', enc: 'A128GCM', zip })).toString(
          'base64url',
        );
        expectRefused(verifier(), `${header}..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA`);
      }
    });

    it('3.7 UTF-8: writes and reads a reference beyond ASCII as UTF-8', () => {
      const referencl = 'Boutique Ébène 😀';
      const tokens = createTokens({ secret: SECRET, clock });
      const token = tokens.issue({ ...AWA, marchand: { ...AWA.marchand, referencl } });
      expect(Buffer.from(token.split('.')[1] ?? '', 'base64url').includes(Buffer.from(referencl, 'utf8'))).to.equal(
        true,
      );
      expect(tokens.verify(token)).to.include({ referencl });
    });

    it('3.8 issuer and subject: refuses a token with another iss or without a sub, and reads the account of the sub', () => {
      expectAccepted(verifier());
      for (const iss of [undefined, null, '', 'express-merchant-auth/other', [CLAIMS.iss], `${CLAIMS.iss} `]) {
        expectRefused(verifier(), { payload: { ...CLAIMS, iss } });
      }
      for (const sub of [undefined, null, '', 1, ['1'], {}]) expectRefused(verifier(), { payload: { ...CLAIMS, sub } });
    });

    it('3.9 audience: accepts only tokens for the configured audience, and refuses every aud when none is configured', () => {
      const tokens = verifier([hs256], { audience: 'payments' });
      for (const aud of ['payments', ['reports', 'payments']]) expectAccepted(tokens, { payload: { ...CLAIMS, aud } });
      for (const aud of [undefined, null, '', 'reports', ['reports'], [], [['payments']], { payments: true }]) {
        expectRefused(tokens, { payload: { ...CLAIMS, aud } });
      }
      expectRefused(verifier(), { payload: { ...CLAIMS, aud: 'payments' } });
      const { payload } = readToken(createTokens({ secret: SECRET, audience: 'payments' }).issue(AWA));
      expect(payload['aud']).to.equal('payments');
    });

    it('3.10 received claims (with 2.9): fetches no URL of a token, and uses no key of a token', async () => {
      let visits = 0;
      const { port } = await serve((_req: http.IncomingMessage, res: http.ServerResponse) => {
        visits += 1;
        res.end(JSON.stringify({ keys: [] }));
      });
      const url = `http://127.0.0.1:${port}/keys.json`;
      const { publicKey, privateKey } = otherEcPair();
      const tokens = verifier([{ kid: 'k', algorithm: 'ES256', publicKey: ecPair.prime256v1().publicKey }]);
      const jwk = publicKey.export({ format: 'jwk' });
      for (const header of [{ jku: url }, { x5u: url }, { jwk }, { x5c: [pemOf(publicKey)] }, { kid: url }]) {
        expectRefused(tokens, { header: { ...HEADER, alg: 'ES256', ...header }, key: privateKey });
      }
      for (const kid of ['__proto__', 'constructor', '../../dev/null', "k' OR '1'='1", '', null, ['k'], { k: 1 }]) {
        for (const key of ['', SECRET]) expectRefused(verifier(), { header: { ...HEADER, kid }, key });
      }
      expect(visits).to.equal(0);
    });

    it('3.11 explicit typing: issues at+jwt and refuses every other type (ASVS 9.2.2)', () => {
      const { header } = readToken(verifier().issue(AWA));
      expect(header['typ']).to.equal('at+jwt');
      for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt'])
        expectAccepted(verifier(), { header: { ...HEADER, typ } });
      for (const typ of [undefined, null, '', 'JWT', 'jwt', 'at+jwt+x', 'x/at+jwt', ['at+jwt']]) {
        expectRefused(verifier(), { header: { ...HEADER, typ } });
      }
    });

    it('3.12 mutually exclusive rules: each of two realms refuses the tokens of the other, also with the same secret', () => {
      const merchants = createTokens({ secret: SECRET, clock });
      const agents = createTokens({ secret: SECRET, clock, realm: 'agent' });
      expect(merchants.verify(merchants.issue(AWA))).to.include({ sub: AWA.id });
      expectRefused(merchants, agents.issue(AWA));
      expectRefused(agents, merchants.issue(AWA));
    });
  });
});

describe('RFC 8725 over HTTP', () => {
  it('3.8 subject: refuses a good token whose subject has no account', async () => {
    const { client } = await servePayments(FRAMEWORK);
    const token = FRAMEWORK.auth.createTokens().issue({ ...AWA, id: '99' });
    expect((await client.send('GET', '/v1/guarded', { headers: bearer(token) })).status).to.equal(401);
  });
});

/** A token of two parts as bytes, signed with HS256. */
function resigned(header: Buffer, payload: Buffer): string {
  const input = `${header.toString('base64url')}.${payload.toString('base64url')}`;
  return `${input}.${hmac(input)}`;
}

function hmac(input: string): string {
  return createHmac('sha256', SECRET).update(input).digest('base64url');
}

function signingKeyOf(config: KeyConfig) {
  if ('secret' in config) return config.secret as string;
  if (config.privateKey === undefined) throw new Error('This key cannot sign.');
  return config.privateKey;
}

/** Changes the last character of a token within its unused bits, so that it decodes to the same signature. */
function withSpareBit(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const changed = token.slice(0, -1) + (alphabet[alphabet.indexOf(token.slice(-1)) ^ 1] ?? '');
  const bytes = (text: string) => Buffer.from(text.slice(text.lastIndexOf('.') + 1), 'base64url').toString('hex');
  expect(bytes(changed)).to.equal(bytes(token));
  return changed;
}
