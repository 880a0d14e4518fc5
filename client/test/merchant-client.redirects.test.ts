import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { createMerchantClient } from '../src/index.js';
import { rejectionOf } from '../../test/helpers/thrown.js';
import { serveRedirects } from './cases/redirects.js';
import { ACCOUNT, clientOf, stubService } from './stub-service.js';

const ADVICE = 'baseUrl or the path is wrong. The request may have run or not.';

const sentTo = (requests: readonly IncomingMessage[]) => requests.map(({ method, url }) => `${method} ${url}`);

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

describe('A request that is redirected', () => {
  for (const [title, input] of [
    ['a path', () => '/paid'],
    ['a Request', (baseUrl: string) => new Request(`${baseUrl}/paid`, { method: 'POST' })],
  ] as const) {
    it(`is not repeated after a 401, because it may have run (${title})`, async () => {
      const { baseUrl, own } = await serveRedirects();
      const client = createMerchantClient({ ...ACCOUNT, baseUrl });
      expect((await client.fetch(input(baseUrl), { method: 'POST' })).status).to.equal(401);
      expect(sentTo(own)).to.deep.equal(['POST /v1/login', 'POST /v1/paid', 'GET /v1/refused']);
    });
  }

  for (const [method, path, status] of [
    ['POST', '/moved', 301],
    ['POST', '/paid', 303],
    ['PUT', '/away', 307],
  ] as const) {
    it(`rejects in json when a ${method} gets a ${status}, without the new address`, async () => {
      const { baseUrl, own, away } = await serveRedirects();
      const error = await rejectionOf(createMerchantClient({ ...ACCOUNT, baseUrl }).json(method, path, {}));
      const message = `The service answered ${status}, a redirect. ${ADVICE}`;
      expect(error).to.include({ name: 'MerchantApiError', status, message });
      expect(error).to.have.property('body').deep.equal({ description: message });
      expect([sentTo(own), away]).to.deep.equal([['POST /v1/login', `${method} /v1${path}`], []]);
    });
  }

  for (const [title, status, answer] of [
    ['where the platform hides it, as browsers do', 0, Response.error()],
    ['when a fetch has followed it', 200, Object.defineProperty(Response.json({}), 'redirected', { value: true })],
  ] as const) {
    it(`rejects in json without the status ${title}`, async () => {
      const service = stubService();
      service.answerCall = () => answer;
      const message = `The service answered 3xx, a redirect. ${ADVICE}`;
      expect(await rejectionOf(clientOf(service).json('POST', '/a', {}))).to.include({ status, message });
    });
  }

  it('is followed in json when it reads only', async () => {
    const client = createMerchantClient({ ...ACCOUNT, baseUrl: (await serveRedirects()).baseUrl });
    expect(await client.json('get', '/here')).to.deep.equal({});
    expect(await client.json('HEAD', '/moved')).to.equal(undefined);
  });
});
