import { expect } from 'chai';
import express from 'express';
import { createLocalJWKSet, createRemoteJWKSet, jwtVerify } from 'jose';
import { createTokens } from '../../src/tokens/tokens.js';
import { AWA } from '../helpers/accounts.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { serve } from '../helpers/http.js';
import { ecPair, otherEcPair, rsaPair, rsaPssPair } from '../helpers/keys.js';
import { rejectionOf } from '../helpers/thrown.js';
import { readToken } from '../helpers/tokens.js';

const CLAIMS = { issuer: 'https://shop.example', audience: 'payments' };
const CURRENT = { kid: '2026-11', algorithm: 'ES256', ...ecPair.prime256v1() } as const;
const NEXT = { kid: '2026-12', algorithm: 'ES256', ...otherEcPair() } as const;

describe('jwks, read by jose', () => {
  for (const key of [
    { kid: 'rsa', algorithm: 'RS256', ...rsaPair() },
    { kid: 'rsa-pss', algorithm: 'PS256', ...rsaPssPair[256]() },
    CURRENT,
  ] as const) {
    it(`verifies a token of the key ${key.kid}, and not without this key`, async () => {
      const tokens = createTokens({ keys: [key, NEXT], ...CLAIMS });
      const token = tokens.issue(AWA);
      const { payload } = await jwtVerify(token, createLocalJWKSet(tokens.jwks()), { ...CLAIMS, typ: 'at+jwt' });
      expect(payload.sub).to.equal(AWA.id);
      tokens.replaceKeys([NEXT]);
      const error = await rejectionOf(jwtVerify(token, createLocalJWKSet(tokens.jwks()), CLAIMS));
      expect(error).to.have.property('code', 'ERR_JWKS_NO_MATCHING_KEY');
    });
  }

  it('verifies every token that is still valid, through a rotation', async () => {
    const time = freezeTime();
    const tokens = createTokens({ keys: [CURRENT], ...CLAIMS });
    const app = express().get('/jwks.json', (_req, res) => void res.json(tokens.jwks()));
    const keys = createRemoteJWKSet(new URL(`http://127.0.0.1:${(await serve(app)).port}/jwks.json`));
    const issued: string[] = [];
    const kids = new Set();
    const useFor = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 5) {
        issued.push(tokens.issue(AWA));
        const oldest = issued.find((token) => Number(readToken(token).payload['exp']) * 1000 > Date.now());
        for (const token of [oldest, issued.at(-1)]) {
          kids.add((await jwtVerify(token ?? '', keys, CLAIMS)).protectedHeader.kid);
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
  });
});
