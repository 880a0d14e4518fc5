import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { bearerToken } from '../../src/bearer/authorization.js';
import { AWA, KOFI } from '../helpers/accounts.js';
import { expectInvalidToken, expectMissingToken } from '../helpers/answers.js';
import { bearer } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';

function tokenOf(authorization?: string, rawHeaders?: string[]) {
  return bearerToken({ headers: { authorization }, rawHeaders } as unknown as IncomingMessage);
}

describe('bearerToken', () => {
  it('takes one token68 after Bearer, in any case, and one space', () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
      expect(tokenOf(`${scheme} a.b-c_d~e+f/1==`)).to.equal('a.b-c_d~e+f/1==');
  });

  it('gives text also where an adapter has a list for the header', () => {
    expect(tokenOf(['Bearer a.b.c'] as never)).to.equal('a.b.c');
    expect(tokenOf(['Bearer a.b.c', 'Bearer d.e.f'] as never)).to.equal(null);
  });

  it('finds none without the header, or with another scheme', () => {
    for (const value of [
      undefined,
      '',
      'Basic YTpi',
      'Token a.b.c',
      'BearerToken a',
      'Bearers a.b.c',
      '"Bearer" a',
      ' ',
    ]) {
      expect(tokenOf(value), value).to.equal(undefined);
    }
  });

  it('refuses whatever else follows the scheme', () => {
    const values = [
      'Bearer',
      'Bearer ',
      'Bearer  a',
      'Bearer\ta',
      'Bearer a b',
      'Bearer a,b',
      'Bearer a, Bearer b',
      'Bearer =a',
      'Bearer a=b',
      'Bearer a;',
      'Bearer "a"',
      'Bearer é',
      'Bearer a\n',
      'Bearer:a',
      'Bearer, a',
      'bearer,a',
    ];
    for (const value of values) expect(tokenOf(value), value).to.equal(null);
  });

  it('refuses a second Authorization header, which only rawHeaders show', () => {
    const one = ['Host', 'localhost', 'AUTHORIZATION', 'Bearer a', 'X-Note', 'authorization'];
    expect(tokenOf('Bearer a', one)).to.equal('a');
    expect(tokenOf('Bearer a', [...one, 'authorization', 'Bearer b'])).to.equal(null);
    expect(tokenOf('Bearer a', [...one, 'Authorization', 'Basic YTpi'])).to.equal(null);
  });

  it('does without rawHeaders, which serverless adapters do not have', () => {
    expect(tokenOf('Bearer a', [])).to.equal('a');
    expect(tokenOf('Bearer a', undefined)).to.equal('a');
  });
});

onEachExpress('the Authorization header', (framework) => {
  it('is refused when it comes twice, in either order', async () => {
    const { client, awa } = await servePayments(framework);
    const kofi = bearer(framework.auth.createTokens().issue(KOFI));
    const twice = (first: string, second: string) =>
      client.send('GET', '/v1/guarded', {
        headers: [
          ['Authorization', first],
          ['authorization', second],
        ],
      });
    expectInvalidToken(await twice(awa.Authorization, kofi.Authorization));
    expectInvalidToken(await twice(awa.Authorization, awa.Authorization));
    expectInvalidToken(await twice(awa.Authorization, 'Basic YTpi'));
    expectMissingToken(await twice('Basic YTpi', awa.Authorization));
  });

  it('is the only place where a token is looked for', async () => {
    const { client } = await servePayments(framework);
    const token = framework.auth.createTokens().issue(AWA);
    for (const name of ['access_token', 'token', 'auth_token']) {
      expectMissingToken(await client.send('GET', `/v1/guarded?${name}=${token}`));
      expectMissingToken(await client.send('POST', '/v1/guarded', { body: { [name]: token } }));
      expectMissingToken(await client.send('GET', '/v1/guarded', { headers: { Cookie: `${name}=${token}` } }));
    }
    expectMissingToken(await client.send('GET', '/v1/guarded', { headers: { 'X-Authorization': `Bearer ${token}` } }));
  });
});
