import { expect } from 'chai';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMerchantClient } from '../src/index.js';
import { serve } from '../../test/helpers/http.js';
import { rejectionOf } from '../../test/helpers/thrown.js';
import { ACCOUNT, successBody } from './stub-service.js';

const originOf = ({ port }: { readonly port: number }) => `http://127.0.0.1:${port}`;

function answer(res: ServerResponse, status: number, headers: Readonly<Record<string, string>>, body: unknown = {}) {
  res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Serves an API that redirects `/v1/away` to another server, and `/v1/here` to itself. */
async function serveRedirects() {
  const away: IncomingMessage[] = [];
  const own: IncomingMessage[] = [];
  const other = await serve((req: IncomingMessage, res: ServerResponse) => {
    away.push(req);
    answer(res, 200, { Date: 'Thu, 15 Jan 2099 12:00:00 GMT' }, successBody('of another server'));
  });
  const api = await serve((req: IncomingMessage, res: ServerResponse) => {
    own.push(req);
    if (req.url === '/v1/login') answer(res, 200, {}, successBody('token-1'));
    else if (req.url === '/v1/here') answer(res, 307, { Location: '/v1/there' });
    else if (req.url === '/v1/there') answer(res, 200, {});
    else answer(res, 307, { Location: `${originOf(other)}${req.url}` });
  });
  const logins = () => own.filter(({ url }) => url === '/v1/login').length;
  return { away, own, logins, baseUrl: `${originOf(api)}/v1` };
}

describe('The token and the password, on a redirect', () => {
  it('the token is sent to another path of its origin', async () => {
    const { baseUrl, own } = await serveRedirects();
    await createMerchantClient({ ...ACCOUNT, baseUrl }).fetch('/here');
    expect(own.slice(1).map(({ url, headers }) => [url, headers.authorization])).to.deep.equal([
      ['/v1/here', 'Bearer token-1'],
      ['/v1/there', 'Bearer token-1'],
    ]);
  });

  it('the clock of another origin is ignored', async () => {
    const { baseUrl, logins } = await serveRedirects();
    const client = createMerchantClient({ ...ACCOUNT, baseUrl });
    await client.fetch('/away');
    await client.fetch('/here');
    expect(logins()).to.equal(1);
  });

  it('the password is sent to no other origin', async () => {
    const { baseUrl, away } = await serveRedirects();
    const client = createMerchantClient({ ...ACCOUNT, baseUrl, loginPath: '/login-away' });
    expect(await rejectionOf(client.login())).to.be.instanceOf(TypeError);
    expect(away).to.deep.equal([]);
  });
});
