import { expect } from 'chai';
import express from 'express';
import { auth } from 'express-oauth2-jwt-bearer';
import { createLocalJWKSet, createRemoteJWKSet, jwtVerify } from 'jose';
import { type Algorithm, type AlgorithmEntry, algorithms } from '../../src/tokens/algorithms.js';
import type { KeyConfig } from '../../src/tokens/keys.js';
import { createTokens, type Tokens } from '../../src/tokens/tokens.js';
import { AWA } from '../helpers/accounts.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { bearer, serve } from '../helpers/http.js';
import { ecPair, otherEcPair, rsaPair, rsaPssPair } from '../helpers/keys.js';
import { rejectionOf } from '../helpers/thrown.js';
import { craftToken, readToken } from '../helpers/tokens.js';

const CLAIMS = { issuer: 'https://shop.example', audience: 'payments' };
const CURRENT: KeyConfig = { kid: '2026-11', algorithm: 'ES256', ...ecPair.prime256v1() };
const NEXT: KeyConfig = { kid: '2026-12', algorithm: 'ES256', ...otherEcPair() };

/** Resolves to the status with which another service answers a token. */
type Answer = (token: string) => Promise<number>;

/** Serves the set of these tokens and returns its address. */
async function publish(tokens: Tokens): Promise<string> {
  const app = express().get('/jwks.json', (_req, res) => void res.json(tokens.jwks()));
  return `http://127.0.0.1:${(await serve(app)).port}/jwks.json`;
}

/** Other packages that verify with the published keys, with their default caches. */
const VERIFIERS: Readonly<Record<string, (jwksUri: string) => Promise<Answer>>> = {
  jose(jwksUri) {
    const keys = createRemoteJWKSet(new URL(jwksUri));
    return Promise.resolve((token) =>
      jwtVerify(token, keys, { ...CLAIMS, typ: 'at+jwt' }).then(
        () => 200,
        () => 401,
      ),
    );
  },
  async 'express-oauth2-jwt-bearer'(jwksUri) {
    const app = express();
    app.use(auth({ ...CLAIMS, jwksUri, clockTolerance: 0, validators: { typ: (typ) => typ === 'at+jwt' } }));
    app.use((_req, res) => void res.end());
    app.use(((error: { status: number }, _req, res, _next) => {
      res.status(error.status).end();
    }) as express.ErrorRequestHandler);
    const client = await serve(app);
    return async (token) => (await client.send('GET', '/', { headers: bearer(token) })).status;
  },
};

for (const [name, createVerifier] of Object.entries(VERIFIERS)) {
  describe(`jwks, read by ${name}`, () => {
    it('verifies every token that is still valid, through a rotation', async () => {
      const time = freezeTime();
      const tokens = createTokens({ keys: [CURRENT], ...CLAIMS });
      const verify = await createVerifier(await publish(tokens));
      const issued: string[] = [];
      const kids = new Set();
      const useFor = async (minutes: number) => {
        for (let minute = 0; minute < minutes; minute += 5) {
          issued.push(tokens.issue(AWA));
          const oldest = issued.find((token) => Number(readToken(token).payload['exp']) * 1000 > Date.now());
          for (const token of [oldest, issued.at(-1)]) {
            kids.add(readToken(token ?? '').header['kid']);
            expect(await verify(token ?? '')).to.equal(200);
          }
          time.pass(300);
        }
      };
      await useFor(30);
      tokens.replaceKeys([CURRENT, NEXT]);
      await useFor(60);
      tokens.replaceKeys([NEXT, CURRENT]);
      await useFor(300);
      tokens.replaceKeys([NEXT]);
      await useFor(30);
      expect([...kids]).to.deep.equal(['2026-11', '2026-12']);
      expect(await verify(issued[0] ?? '')).to.equal(401);
    });

    it('refuses the tokens of a dropped key when its cache has expired', async () => {
      const time = freezeTime();
      const tokens = createTokens({ keys: [CURRENT], ...CLAIMS });
      const verify = await createVerifier(await publish(tokens));
      const token = tokens.issue(AWA);
      expect(await verify(token)).to.equal(200);
      tokens.replaceKeys([NEXT]);
      expect(await verify(token)).to.equal(200);
      time.pass(601);
      expect(await verify(token)).to.equal(401);
    });

    it('refuses the first tokens of a key that was not published before it signs', async () => {
      freezeTime();
      const tokens = createTokens({ keys: [CURRENT], ...CLAIMS });
      const verify = await createVerifier(await publish(tokens));
      expect(await verify(tokens.issue(AWA))).to.equal(200);
      tokens.replaceKeys([NEXT, CURRENT]);
      expect(await verify(tokens.issue(AWA))).to.equal(401);
    });

    it('refuses a token of another type, of another audience, and of a secret', async () => {
      const secret = { kid: 'secret', algorithm: 'HS256', secret: 'mangrove-mangrove-mangrove-32-by' } as const;
      const tokens = createTokens({ keys: [CURRENT, secret], ...CLAIMS });
      const verify = await createVerifier(await publish(tokens));
      const token = tokens.issue(AWA);
      const { header, payload } = readToken(token);
      const key = ecPair.prime256v1().privateKey;
      expect(await verify(token)).to.equal(200);
      expect(await verify(craftToken({ header, payload, key }))).to.equal(200);
      expect(await verify(craftToken({ header: { ...header, typ: 'JWT' }, payload, key }))).to.equal(401);
      expect(await verify(craftToken({ header, payload: { ...payload, aud: 'other' }, key }))).to.equal(401);
      tokens.replaceKeys([secret, CURRENT]);
      expect(await verify(tokens.issue(AWA))).to.equal(401);
    });
  });
}

describe('jwks, read by jose', () => {
  const ring = (Object.keys(algorithms) as Algorithm[]).flatMap((algorithm): KeyConfig[] => {
    const entry: AlgorithmEntry = algorithms[algorithm];
    if (entry.kind === 'secret') return [];
    const pair = entry.kind === 'rsa' ? rsaPair() : ecPair[entry.namedCurve as keyof typeof ecPair]();
    return [{ kid: algorithm, algorithm, ...pair } as KeyConfig];
  });
  ring.push({ kid: 'rsa-pss', algorithm: 'PS256', ...rsaPssPair[256]() });

  for (const key of ring) {
    it(`verifies a token of the key ${key.kid} with no other key of a ring of all algorithms`, async () => {
      const tokens = createTokens({ keys: [key, ...ring.filter((other) => other !== key)], ...CLAIMS });
      const token = tokens.issue(AWA);
      const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(tokens.jwks()), CLAIMS);
      expect(protectedHeader).to.include({ kid: key.kid, alg: key.algorithm });
      expect(payload.sub).to.equal(AWA.id);
      tokens.replaceKeys(ring.filter((other) => other !== key));
      const error = await rejectionOf(jwtVerify(token, createLocalJWKSet(tokens.jwks()), CLAIMS));
      expect(error).to.have.property('code', 'ERR_JWKS_NO_MATCHING_KEY');
    });
  }
});
