import { expect } from 'chai';
import { createPasswords, createTokens, type KeyConfig } from '../../src/index.js';
import { AWA } from '../helpers/accounts.js';
import { FRAMEWORK } from '../helpers/framework.js';
import { bearer } from '../helpers/http.js';
import { logIn, tokenOf } from '../helpers/login-host.js';
import { servePayments } from '../helpers/payments.js';
import { QUICK_HASH, quickPasswords } from '../helpers/quick-passwords.js';
import { readToken } from '../helpers/tokens.js';

const OLD: KeyConfig = { kid: 'old', algorithm: 'HS256', secret: 'mangrove-mangrove-mangrove-32-by' };
const NEW: KeyConfig = { kid: 'new', algorithm: 'HS256', secret: 'baobab-baobab-baobab-baobab-32-b' };

describe('replaceKeys', () => {
  it('signs the token of a login in flight with the first key at its end', async () => {
    const tokens = createTokens({ keys: [OLD] });
    const quick = quickPasswords(createPasswords);
    quick.verify = () => {
      tokens.replaceKeys([NEW, OLD]);
      return Promise.resolve(true);
    };
    const login = { tokens, passwords: quick.passwords };
    const { client, store } = await servePayments(FRAMEWORK, { guard: { tokens }, login });
    store.put({ ...AWA, passwordHash: QUICK_HASH });
    const token = tokenOf(await logIn(client));
    expect(readToken(token).header['kid']).to.equal('new');
    expect((await client.send('GET', '/v1/guarded', { headers: bearer(token) })).status).to.equal(200);
  });
});
