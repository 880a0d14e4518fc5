import { expect } from 'chai';
import express from 'express';
import { createTokens, type KeyConfig } from 'express-merchant-auth';
import { publishKeys } from '../../example-app/src/jwks.js';
import { serve } from '../helpers/http.js';
import { ecPair, otherEcPair } from '../helpers/keys.js';

const CURRENT: KeyConfig = { kid: 'current', algorithm: 'ES256', ...ecPair.prime256v1() };
const NEXT: KeyConfig = { kid: 'next', algorithm: 'ES256', ...otherEcPair() };

/** The shortest wait of a rotation (docs/keys.md), in seconds. A new key is published at least this long before it signs. */
const OVERLAP_SECONDS = 3600;

describe('GET /jwks.json', () => {
  it('answers with the public keys of the current ring', async () => {
    const tokens = createTokens({ keys: [CURRENT] });
    const client = await serve(express().get('/jwks.json', publishKeys(tokens)));
    for (const keys of [[CURRENT], [CURRENT, NEXT], [NEXT, CURRENT], [NEXT]]) {
      tokens.replaceKeys(keys);
      const { status, headers, text, json } = await client.send('GET', '/jwks.json');
      expect(status).to.equal(200);
      expect(headers['content-type']).to.equal('application/json; charset=utf-8');
      expect(json).to.deep.equal(tokens.jwks());
      expect((json as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)).to.deep.equal(
        keys.map(({ kid }) => kid),
      );
      expect(text).not.to.include('"d"');
    }
  });

  it('has a cache time below the overlap of a rotation', async () => {
    const client = await serve(express().get('/jwks.json', publishKeys(createTokens({ keys: [CURRENT] }))));
    const { headers } = await client.send('GET', '/jwks.json');
    const [, seconds] = /^public, max-age=(\d+)$/.exec(headers['cache-control'] ?? '') ?? [];
    expect(Number(seconds)).to.be.within(60, OVERLAP_SECONDS / 2);
  });

  it('shows no part of a secret', async () => {
    const client = await serve(express().get('/jwks.json', publishKeys(createTokens())));
    expect((await client.send('GET', '/jwks.json')).text).to.equal('{"keys":[]}');
  });
});
