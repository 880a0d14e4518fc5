import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { bearerToken } from '../../src/guard/authorization.js';
import { AWA, KOFI } from '../helpers/accounts.js';
import { challengeOf, expectMissingToken, INVALID_TOKEN, MISSING_TOKEN } from '../helpers/answers.js';
import { bearer } from '../helpers/http.js';
import { FRAMEWORK } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { expectAuthError, thrownBy } from '../helpers/thrown.js';

const ADVICE = 'Send exactly one header of the form Authorization: Bearer <token>.';

/** Returns the token of a request with these headers. @throws as `bearerToken` does */
function tokenOf(authorization?: string, rawHeaders?: string[]): string {
  return bearerToken({ headers: { authorization }, rawHeaders } as unknown as IncomingMessage, 'back office');
}

function expectMissing(authorization?: string): void {
  const { headers } = expectAuthError(
    thrownBy(() => tokenOf(authorization)),
    MISSING_TOKEN,
  );
  expect(headers, authorization).to.deep.equal({ 'WWW-Authenticate': 'Bearer realm="back office"' });
}

function expectInvalid(authorization: string, rawHeaders?: string[], what = authorization): void {
  const { description, headers, detail } = expectAuthError(
    thrownBy(() => tokenOf(authorization, rawHeaders)),
    INVALID_TOKEN,
  );
  expect(description).to.equal(ADVICE);
  expect(headers, what).to.deep.equal({ 'WWW-Authenticate': challengeOf(ADVICE, 'back office') });
  expect(detail).to.equal('The token is not valid: it is not in exactly one header of the form Bearer <token>.');
}

describe('bearerToken', () => {
  it('returns the token68 of three parts after Bearer (in any letter case) and one or more spaces', () => {
    for (const scheme of ['Bearer ', 'bearer  ', 'BEARER   ', 'bEaReR '])
      expect(tokenOf(`${scheme}a.b-c_d~e.f+g/1==`)).to.equal('a.b-c_d~e.f+g/1==');
  });

  it('asks for a token without the header, and with another scheme', () => {
    const others = ['', ' ', 'Basic YTpi', 'Token a.b.c', 'BearerToken a', 'Bearers a.b.c', '"Bearer" a'];
    for (const value of [undefined, ...others]) expectMissing(value);
  });

  it('refuses any other form after the scheme', () => {
    for (const [what, ...ends] of [
      ['no token', '', ' '],
      ['another separator', '\ta.b.c', ': a.b.c', ', a.b.c', ' Bearer a.b.c'],
      ['another number of parts', ' a', ' a.b', ' a..c', ' a.b.c.d'],
      ['more than a token', ' a.b c', ' a.b.c d', ' a.b.c;', ' a.b.c\n', ' a.b.c, Bearer d.e.f'],
      ['other characters', ' "a.b.c"', ' =a.b.c', ' a=.b.c', ' é.b.c', ' {{token}}'],
    ]) {
      for (const end of ends) expectInvalid(`Bearer${end}`, undefined, what);
    }
  });

  it('refuses a second Authorization header, which only rawHeaders show', () => {
    const one = ['Host', 'localhost', 'AUTHORIZATION', 'Bearer a.b.c', 'X-Note', 'authorization'];
    expect(tokenOf('Bearer a.b.c', one)).to.equal('a.b.c');
    expectInvalid('Bearer a.b.c', [...one, 'authorization', 'Bearer d.e.f']);
    expectInvalid('Bearer a.b.c', [...one, 'Authorization', 'Basic YTpi']);
  });

  it('needs no rawHeaders, because serverless adapters do not have them', () => {
    expect(tokenOf('Bearer a.b.c', [])).to.equal('a.b.c');
    expect(tokenOf('Bearer a.b.c', undefined)).to.equal('a.b.c');
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
    const { error, description } = (await twice(awa.Authorization, kofi.Authorization)).json as Record<string, string>;
    expect([error, description]).to.deep.equal([INVALID_TOKEN, ADVICE]);
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
