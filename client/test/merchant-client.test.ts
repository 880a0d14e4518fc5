import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import type { MerchantClient } from '../src/index.js';
import { rejectionOf } from '../../test/helpers/thrown.js';
import { settle } from '../../test/helpers/until.js';
import {
  ACCOUNT,
  clientOf,
  gate,
  redirected,
  refusedToken,
  type Sent,
  type StubService,
  stubService,
  tokensOf,
} from './stub-service.js';

describe('fetch of the client', () => {
  let service: StubService;
  let client: MerchantClient;
  beforeEach(() => {
    service = stubService();
    client = clientOf(service);
  });

  /** Returns how many logins and calls were sent. */
  const sent = () => [service.logins.length, service.calls.length];

  it('adds the token to the given request', async () => {
    const body = JSON.stringify({ refercence_cl: 'BTQ-1001' });
    const headers = { 'X-Page': '2', authorization: 'Basic x' };
    await client.fetch('/transactions?page=2', { method: 'POST', headers, body });
    const [{ input, init }] = service.calls as [Sent];
    expect([input, init.method, init.body]).to.deep.equal([`${ACCOUNT.baseUrl}/transactions?page=2`, 'POST', body]);
    expect(Object.fromEntries(init.headers as Headers)).to.deep.equal({
      authorization: 'Bearer token-1',
      'x-page': '2',
    });
  });

  it('sends the given request even when the caller changes it during the login', async () => {
    const init = { method: 'POST', body: 'order 1' };
    const first = client.fetch('/a', init);
    init.body = 'order 2';
    await Promise.all([first, client.fetch('/a', init)]);
    expect(service.calls.map(({ init: { body } }) => body)).to.deep.equal(['order 1', 'order 2']);
  });

  it('accepts a URL and a Request of the same origin', async () => {
    await client.fetch(new URL('https://api.example/status'));
    await client.fetch('https://api.example:443/v2/status');
    await client.fetch(new Request('https://api.example/v1/a', { headers: { 'X-Page': '2' } }));
    expect(service.calls.map(({ input }) => (typeof input === 'string' ? input : input.url))).to.deep.equal([
      'https://api.example/status',
      'https://api.example:443/v2/status',
      'https://api.example/v1/a',
    ]);
    expect(tokensOf(service)).to.deep.equal(['token-1', 'token-1', 'token-1']);
    expect(new Headers(service.calls[2]?.init.headers).get('X-Page')).to.equal('2');
  });

  for (const [title, input] of [
    ['another host', 'https://evil.example/v1/a'],
    ['another scheme', 'http://api.example/v1/a'],
    ['a host that begins alike', 'https://api.example.evil.example/v1/a'],
    ['a Request of another host', new Request('https://evil.example/')],
    ['a path without a slash', 'transactions'],
    ['an empty path', ''],
  ] as const) {
    it(`refuses ${title} before anything is sent`, async () => {
      const error = await rejectionOf(client.fetch(input));
      expect(error).to.be.instanceOf(TypeError);
      expect((error as TypeError).message).to.equal(
        'createMerchantClient: give a path that starts with /, or a URL of https://api.example. ' +
          'The token is for no other origin.',
      );
      expect(sent()).to.deep.equal([0, 0]);
    });
  }

  it('stays on the origin, whatever the path is', async () => {
    for (const path of ['//evil.example/a', '/\\evil.example/a', '/@evil.example/a', '/../../a']) {
      await client.fetch(path);
      expect(new URL(service.calls.at(-1)?.input as string).origin, path).to.equal('https://api.example');
    }
  });

  for (const status of [200, 302, 400, 403, 409, 429, 500, 503]) {
    it(`resolves to an answer with ${status}, and does not repeat it`, async () => {
      const answer = new Response(null, { status, headers: { 'Retry-After': '0' } });
      service.answerCall = () => answer;
      expect(await client.fetch('/a')).to.equal(answer);
      expect(sent()).to.deep.equal([1, 1]);
    });
  }

  describe('after a 401', () => {
    beforeEach('get a token that the service does not accept any more', async () => {
      await client.login();
      service.live.clear();
    });

    it('logs in and repeats the request once, with the body and the headers', async () => {
      // Headers can be read once.
      const headers = new Map([['X-Page', '2']]).entries() as unknown as [];
      const answer = await client.fetch('/a', { method: 'POST', headers, body: 'a body' });
      expect(await answer.json()).to.deep.equal({ token: 'token-2' });
      expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2']);
      expect(service.calls.map(({ init }) => init.body)).to.deep.equal(['a body', 'a body']);
      expect(new Headers(service.calls[1]?.init.headers).get('X-Page')).to.equal('2');
    });

    it('repeats a HEAD request by its challenge, because its answer has no body', async () => {
      service.answerCall = ({ token = '' }) => {
        const headers = { 'WWW-Authenticate': 'Bearer realm="merchant", error="invalid_token"' };
        return service.live.has(token) ? new Response(null) : new Response(null, { status: 401, headers });
      };
      expect((await client.fetch('/a', { method: 'HEAD' })).status).to.equal(200);
      service.live.clear();
      expect(await client.json('HEAD', '/a')).to.equal(undefined);
      service.live.clear();
      await client.fetch(new Request(`${ACCOUNT.baseUrl}/a`, { method: 'HEAD' }));
      expect(tokensOf(service).at(-1)).to.equal('token-4');
    });

    it('returns a second 401, and the next call makes one more login', async () => {
      service.answerCall = refusedToken;
      expect((await client.fetch('/a')).status).to.equal(401);
      expect((await client.fetch('/a')).status).to.equal(401);
      expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2', 'token-2', 'token-3']);
      expect(service.logins).to.have.length(3);
    });

    it('repeats with the token that another call has already received', async () => {
      const { opened, open } = gate<Response>();
      const { answerCall } = service;
      service.answerCall = (call) => (service.calls.length === 1 ? opened : answerCall(call));
      const late = client.fetch('/late');
      await settle();
      expect((await client.fetch('/a')).status).to.equal(200);
      open(refusedToken());
      expect((await late).status).to.equal(200);
      expect(tokensOf(service)).to.deep.equal(['token-1', 'token-1', 'token-2', 'token-2']);
      expect(service.logins).to.have.length(2);
    });

    it('sends bodies again that are not text, and null', async () => {
      const bodies = [
        new Blob(['a body']),
        new TextEncoder().encode('a body'),
        new FormData(),
        new URLSearchParams(),
        null,
      ];
      for (const body of bodies) {
        service.live.clear();
        expect((await client.fetch('/a', { method: 'POST', body })).status).to.equal(200);
        expect(service.calls.slice(-2).map(({ init }) => init.body)).to.deep.equal([body, body]);
      }
    });

    for (const [title, stream] of [
      ['a ReadableStream that cannot be iterated, as in Safari', { getReader: () => undefined }],
      ['a stream of Node.js or an async generator', { [Symbol.asyncIterator]: () => undefined }],
    ] as const) {
      it(`does not send ${title} again, and says so`, async () => {
        const init = { method: 'POST', body: stream as unknown as ReadableStream, duplex: 'half' as const };
        const error = await rejectionOf(client.fetch('/a', init));
        expect(error).to.be.instanceOf(TypeError);
        expect((error as TypeError).message).to.equal(
          'createMerchantClient: the token was refused, and a stream cannot be sent again. ' +
            'Call again with a new stream, or send a string or a Blob.',
        );
        expect(sent()).to.deep.equal([1, 1]);
        // The next call has another token, so it does not fail for the same reason.
        expect((await client.fetch('/a', init)).status).to.equal(200);
        expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2']);
      });
    }
  });

  describe('after a 401 of a handler, which may have acted', () => {
    const STEP_UP = { error: 'otp_required', description: 'Send the code of the text message.' };

    it('returns the answer with its body, and logs in for the next call', async () => {
      service.answerCall = () => service.answer(401, STEP_UP, { 'WWW-Authenticate': 'Bearer realm="bank"' });
      // A stream can be sent, as long as nothing is repeated.
      const init = { method: 'POST', body: new Blob(['a body']).stream(), duplex: 'half' as const };
      const answer = await client.fetch('/a', init);
      expect([answer.status, await answer.json()]).to.deep.equal([401, STEP_UP]);
      expect(sent()).to.deep.equal([1, 1]);
      await client.fetch('/a');
      expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2']);
    });

    it('drops the token even when the body breaks off', async () => {
      const failure = new Error('The connection was reset.');
      const broken = new ReadableStream({ start: (body) => body.error(failure) });
      service.answerCall = () => new Response(broken, { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } });
      expect(await rejectionOf(client.fetch('/a'))).to.equal(failure);
      service.answerCall = () => new Response();
      await client.fetch('/a');
      expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2']);
    });
  });

  describe('with an AbortSignal', () => {
    const REASON = new Error('The customer has left.');

    it('sends nothing when the signal is already aborted', async () => {
      expect(await rejectionOf(client.fetch('/a', { signal: AbortSignal.abort(REASON) }))).to.equal(REASON);
      expect(sent()).to.deep.equal([0, 0]);
    });

    for (const [title, call] of [
      ['in init', (signal: AbortSignal) => client.fetch('/a', { signal })],
      ['of a Request', (signal: AbortSignal) => client.fetch(new Request(`${ACCOUNT.baseUrl}/a`, { signal }))],
    ] as const) {
      it(`rejects at once with the reason (${title}), and the shared login goes on for the others`, async () => {
        const { opened, open } = gate();
        service.answerLogin = () => opened.then(() => service.success());
        const leaving = new AbortController();
        const left = rejectionOf(call(leaving.signal));
        const later = new AbortController();
        const { signal } = later;
        const staying = client.fetch('/b', { signal });
        await settle();
        leaving.abort(REASON);
        expect(await left).to.equal(REASON);
        open();
        expect((await staying).status).to.equal(200);
        expect(sent()).to.deep.equal([1, 1]);
        // The signal still ends the body of the answer, and has no listener after the login.
        expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
        later.abort(REASON);
        expect(service.calls[0]?.init.signal?.reason).to.equal(REASON);
      });
    }
  });
});

describe('json of the client', () => {
  let service: StubService;
  let client: MerchantClient;
  beforeEach(() => {
    service = stubService();
    client = clientOf(service);
  });

  it('sends a body as JSON with its type, and neither of them without one', async () => {
    expect(await client.json('POST', '/transactions', { amount: 5000 })).to.deep.equal({ token: 'token-1' });
    await client.json('GET', '/transactions');
    const sent = service.calls.map(({ input, init }) => [
      input,
      init.method,
      init.body,
      ...new Headers(init.headers).values(),
    ]);
    const url = `${ACCOUNT.baseUrl}/transactions`;
    expect(sent).to.deep.equal([
      [url, 'POST', '{"amount":5000}', 'Bearer token-1', 'application/json'],
      [url, 'GET', undefined, 'Bearer token-1'],
    ]);
  });

  for (const status of [200, 204]) {
    it(`resolves to undefined when a ${status} is empty`, async () => {
      service.answerCall = () => new Response(null, { status });
      expect(await client.json('DELETE', '/a')).to.equal(undefined);
    });
  }

  it('hides the token when the service repeats it', async () => {
    service.answerCall = ({ token = '' }) =>
      service.answer(400, { error: 'insufficient_funds', seen: `Bearer ${token}` }, { 'X-Request-Id': `1:${token}` });
    const error = await rejectionOf(client.json('GET', '/a'));
    expect(error).to.include({ error: 'insufficient_funds', requestId: undefined });
    expect(error).to.have.property('body').deep.equal({ error: 'insufficient_funds', seen: 'Bearer ***' });
    service.answerCall = ({ token }) => new Response('<p>', { headers: { 'X-Request-Id': `1:${token}` } });
    expect(await rejectionOf(client.json('GET', '/a'))).to.include({ status: 200, requestId: undefined });
  });

  for (const [title, answer, status] of [
    ['a 303', () => new Response('Moved to https://evil.example', { status: 303 }), 303],
    ['a redirect whose status the platform hides, as browsers do', () => Response.error(), 0],
    ['a redirect that a fetch has followed', () => redirected(Response.json({})), 200],
  ] as const) {
    it(`rejects a payment with advice on ${title}, without the new address`, async () => {
      service.answerCall = answer;
      const error = await rejectionOf(client.json('PUT', '/a', {}));
      const problem = `The service answered ${status === 303 ? 303 : '3xx'}, a redirect. baseUrl or the path is wrong.`;
      const message = `${problem} The request may have run or not.`;
      expect(error).to.include({ name: 'MerchantApiError', status, message });
      expect(error).to.have.property('body').deep.equal({ description: message });
    });
  }

  it('follows a redirect only of a GET and a HEAD', async () => {
    for (const method of ['GET', 'get', 'HEAD', 'POST', 'PATCH', 'DELETE']) await client.json(method, '/a');
    const redirects = service.calls.map(({ init }) => init.redirect).join();
    expect(redirects).to.equal('follow,follow,follow,manual,manual,manual');
  });

  for (const [title, method, status, text, message] of [
    ['a refusal', 'POST', 400, '{"error":"invalid_query","description":"The limit is wrong."}', 'The limit is wrong.'],
    ['a redirect', 'GET', 304, null, 'The service answered 304.'],
    ['a success that is not JSON', 'GET', 200, '<h1>Welcome</h1>', 'The answer is not JSON.'],
  ] as const) {
    it(`rejects with a MerchantApiError on ${title}`, async () => {
      service.answerCall = () => new Response(text, { status });
      expect(await rejectionOf(client.json(method, '/a'))).to.include({ name: 'MerchantApiError', status, message });
    });
  }
});
