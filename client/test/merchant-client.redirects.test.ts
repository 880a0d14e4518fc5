import { expect } from 'chai';
import { createMerchantClient } from '../src/index.js';
import { rejectionOf } from '../../test/helpers/thrown.js';
import { serveRedirects } from './cases/redirects.js';
import { ACCOUNT } from './stub-service.js';

describe('The token and the password, on a redirect', () => {
  it('the token is sent to another path of its origin, and to no other origin, whose clock is ignored', async () => {
    const { baseUrl, own, away } = await serveRedirects();
    const client = createMerchantClient({ ...ACCOUNT, baseUrl });
    expect((await client.fetch('/away')).status).to.equal(401);
    await client.fetch('/here');
    expect(own.map(({ url, headers }) => [url, headers.authorization])).to.deep.equal([
      ['/v1/login', undefined],
      ['/v1/away', 'Bearer token-1'],
      ['/v1/here', 'Bearer token-1'],
      ['/v1/there', 'Bearer token-1'],
    ]);
    expect(away.map(({ headers }) => headers.authorization)).to.deep.equal([undefined]);
  });

  it('the password is sent to no other origin', async () => {
    const { baseUrl, away } = await serveRedirects();
    const client = createMerchantClient({ ...ACCOUNT, baseUrl, loginPath: '/login-away' });
    expect(await rejectionOf(client.login())).to.be.instanceOf(TypeError);
    expect(away).to.deep.equal([]);
  });
});
