import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { bearerToken } from '../../src/bearer/authorization.js';
import { AWA, KOFI } from '../helpers/accounts.js';
import { expectInvalidToken, expectMissingToken } from '../helpers/answers.js';
import { bearer } from '../helpers/http.js';
import { FRAMEWORK } from '../helpers/framework.js';
import { servePayments } from '../helpers/payments.js';
import { expectAuthError, thrownBy } from '../helpers/thrown.js';

/** Returns the token of a request with these headers. @throws as `bearerToken` does */
function tokenOf(authorization?: string, rawHeaders?: string[]): string {
  return bearerToken({ headers: { authorization }, rawHeaders } as unknown as IncomingMessage, 'back office');
}

function expectMissing(authorization?: string): void {
  const { headers } = expectAuthError(
    thrownBy(() => tokenOf(authorization)),
    'missing_token',
  );
  expect(headers, authorization).to.deep.equal({ 'WWW-Authenticate': 'Bearer realm="back office"' });
}

function expectInvalid(authorization: string, rawHeaders?: string[]): void {
  const { headers, detail } = expectAuthError(
    thrownBy(() => tokenOf(authorization, rawHeaders)),
    'invalid_token',
  );
  const challenge =
    'Bearer realm="back office", error="invalid_token", error_description="The token is not valid. Log in again."';
  expect(headers, authorization).to.deep.equal({ 'WWW-Authenticate': challenge });
  expect(detail).to.equal('The token is not valid: it is not in exactly one header of the form Bearer <token>.');
}

describe('bearerToken', () => {
  it('returns the token68 after Bearer (in any letter case) and one space', () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
      expect(tokenOf(`${scheme} a.b-c_d~e+f/1==`)).to.equal('a.b-c_d~e+f/1==');
  });

  it('throws missing_token without the header, and with another scheme', () => {
    const others = ['', ' ', 'Basic YTpi', 'Token a.b.c', 'BearerToken a', 'Bearers a.b.c', '"Bearer" a'];
    for (const value of [undefined, ...others]) expectMissing(value);
  });

  it('throws invalid_token for any other form after the scheme', () => {
    const ends = [
      '',
      ' ',
      '  a',
      '\ta',
      ' a b',
      ' a,b',
      ' a, Bearer b',
      ' =a',
      ' a=b',
      ' a;',
      ' "a"',
      ' é',
      ' a\n',
      ':a',
    ];
    for (const end of [...ends, ', a', ',a']) expectInvalid(`Bearer${end}`);
  });

  it('throws invalid_token for a second Authorization header, which only rawHeaders show', () => {
    const one = ['Host', 'localhost', 'AUTHORIZATION', 'Bearer a', 'X-Note', 'authorization'];
    expect(tokenOf('Bearer a', one)).to.equal('a');
    expectInvalid('Bearer a', [...one, 'authorization', 'Bearer b']);
    expectInvalid('Bearer a', [...one, 'Authorization', 'Basic YTpi']);
  });

  it('needs no rawHeaders, because serverless adapters do not have them', () => {
    expect(tokenOf('Bearer a', [])).to.equal('a');
    expect(tokenOf('Bearer a', undefined)).to.equal('a');
  });
});

describe('the Authorization header', () => {
  it('is refused when it is sent twice, in either order', async () => {
    const { client, awa } = await servePayments(FRAMEWORK);
    const kofi = bearer(FRAMEWORK.auth.createTokens().issue(KOFI));
    const twice = (first: string, second: string) =>
      client.send('GET', '/v1/guarded', {
        headers: [
          ['Authorization', first],
          ['authorization', second],
        ],
      });
    expectInvalidToken(await twice(awa.Authorization, kofi.Authorization));
    expectMissingToken(await twice('Basic YTpi', awa.Authorization));
  });

  it('is the only place from which a token is read', async () => {
    const { client } = await servePayments(FRAMEWORK);
    const token = FRAMEWORK.auth.createTokens().issue(AWA);
    for (const name of ['access_token', 'token', 'auth_token']) {
      expectMissingToken(await client.send('GET', `/v1/guarded?${name}=${token}`));
      expectMissingToken(await client.send('POST', '/v1/guarded', { body: { [name]: token } }));
      expectMissingToken(await client.send('GET', '/v1/guarded', { headers: { Cookie: `${name}=${token}` } }));
    }
    expectMissingToken(await client.send('GET', '/v1/guarded', { headers: { 'X-Authorization': `Bearer ${token}` } }));
  });
});
