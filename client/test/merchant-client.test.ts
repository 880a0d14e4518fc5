import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { createMerchantClient, type MerchantClient, type MerchantClientOptions } from '../src/index.js';
import { rejectionOf } from '../../test/helpers/thrown.js';
import { settle } from '../../test/helpers/until.js';
import { ACCOUNT, gate, type Sent, type StubService, stubService } from './stub-service.js';

const clientOf = ({ fetch }: StubService, options: Partial<MerchantClientOptions> = {}) =>
  createMerchantClient({ ...ACCOUNT, fetch, ...options });

const tokensOf = ({ calls }: StubService) => calls.map(({ token }) => token);
const bodiesOf = ({ calls }: StubService) => calls.map(({ init }) => init.body);

/** A client with `token-1`, which the service does not accept any more. */
async function refusedClient(service: StubService): Promise<MerchantClient> {
  const client = clientOf(service);
  await client.login();
  service.live.clear();
  return client;
}

describe('fetch of the client', () => {
  it('adds the token to the given request', async () => {
    const service = stubService();
    const { fetch } = clientOf(service);
    const body = JSON.stringify({ refercence_cl: 'BTQ-1001' });
    await fetch('/transactions?page=2', { method: 'POST', headers: { 'X-Page': '2', authorization: 'Basic x' }, body });
    const [{ input, init }] = service.calls as [Sent];
    expect([input, init.method, init.body]).to.deep.equal([`${ACCOUNT.baseUrl}/transactions?page=2`, 'POST', body]);
    expect(Object.fromEntries(init.headers as Headers)).to.deep.equal({
      authorization: 'Bearer token-1',
      'x-page': '2',
    });
  });

  it('accepts a URL and a Request of the same origin', async () => {
    const service = stubService();
    const client = clientOf(service);
    await client.fetch(new URL('https://api.example/status'));
    await client.fetch('https://api.example:443/v2/status');
    await client.fetch(new Request('https://api.example/v1/a', { headers: { 'X-Page': '2' } }));
    const [first, second, third] = service.calls as [Sent, Sent, Sent];
    expect([first.input, second.input]).to.deep.equal([
      'https://api.example/status',
      'https://api.example:443/v2/status',
    ]);
    expect([(third.input as Request).url, third.token]).to.deep.equal(['https://api.example/v1/a', 'token-1']);
    expect(new Headers(third.init.headers).get('X-Page')).to.equal('2');
  });

  for (const [title, input] of [
    ['another host', 'https://evil.example/v1/a'],
    ['another scheme', 'http://api.example/v1/a'],
    ['another port', 'https://api.example:8443/v1/a'],
    ['a host that begins alike', 'https://api.example.evil.example/v1/a'],
    ['a URL of another host', new URL('https://evil.example/')],
    ['a Request of another host', new Request('https://evil.example/')],
    ['a path without a slash', 'transactions'],
    ['an empty path', ''],
  ] as const) {
    it(`refuses ${title} before anything is sent`, async () => {
      const service = stubService();
      const error = await rejectionOf(clientOf(service).fetch(input));
      expect(error).to.be.instanceOf(TypeError);
      expect((error as TypeError).message).to.equal(
        'createMerchantClient: fetch takes a path that starts with /, or a URL of https://api.example. ' +
          'The token is for no other origin.',
      );
      expect([...service.logins, ...service.calls]).to.deep.equal([]);
    });
  }

  for (const path of ['//evil.example/a', '/\\evil.example/a', '/@evil.example/a', '/../../a']) {
    it(`stays on the origin with the path ${path}`, async () => {
      const service = stubService();
      await clientOf(service).fetch(path);
      expect(new URL(service.calls[0]?.input as string).origin).to.equal('https://api.example');
    });
  }

  for (const status of [200, 204, 302, 400, 403, 404, 409, 429, 500, 503]) {
    it(`resolves to an answer with ${status}, and does not repeat it`, async () => {
      const service = stubService();
      const answer = new Response(null, { status, headers: { 'Retry-After': '0' } });
      service.answerCall = () => answer;
      expect(await clientOf(service).fetch('/a')).to.equal(answer);
      expect([service.logins.length, service.calls.length]).to.deep.equal([1, 1]);
    });
  }

  it('rejects with the error of fetch, and does not repeat', async () => {
    const service = stubService();
    const failure = new TypeError('fetch failed');
    service.answerCall = () => Promise.reject(failure);
    expect(await rejectionOf(clientOf(service).fetch('/a'))).to.equal(failure);
    expect(service.calls).to.have.length(1);
  });

  describe('after a 401', () => {
    it('logs in and repeats the request once', async () => {
      const service = stubService();
      const client = await refusedClient(service);
      const headers = new Map([['X-Page', '2']]).entries();
      const answer = await client.fetch('/a', { method: 'POST', headers: headers as unknown as [], body: 'a body' });
      expect(answer.status).to.equal(200);
      expect([tokensOf(service), bodiesOf(service)]).to.deep.equal([
        ['token-1', 'token-2'],
        ['a body', 'a body'],
      ]);
      expect(new Headers(service.calls[1]?.init.headers).get('X-Page')).to.equal('2');
    });

    it('returns a second 401, and the next call makes one more login', async () => {
      const service = stubService();
      service.answerCall = () => service.answer(401, { error: 'invalid_token' });
      const client = clientOf(service);
      expect((await client.fetch('/a')).status).to.equal(401);
      expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2']);
      expect((await client.fetch('/a')).status).to.equal(401);
      expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2', 'token-2', 'token-3']);
      expect(service.logins).to.have.length(3);
    });

    it('repeats with the token that another call has already received', async () => {
      const service = stubService();
      const client = await refusedClient(service);
      const { opened, open } = gate<Response>();
      const refusal = service.answer(401, {});
      const { answerCall } = service;
      service.answerCall = (sent) => (service.calls.length === 1 ? opened : answerCall(sent));
      const late = client.fetch('/late');
      await settle();
      expect((await client.fetch('/a')).status).to.equal(200);
      open(refusal);
      expect((await late).status).to.equal(200);
      expect(tokensOf(service)).to.deep.equal(['token-1', 'token-1', 'token-2', 'token-2']);
      expect(service.logins).to.have.length(2);
    });

    it('shares the login that another call waits for', async () => {
      const service = stubService();
      const client = await refusedClient(service);
      const { opened, open } = gate();
      service.answerLogin = () => opened.then(() => service.success());
      const calls = [client.fetch('/a'), client.fetch('/b')];
      await settle();
      calls.push(client.fetch('/c'));
      await settle();
      open();
      expect((await Promise.all(calls)).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect(service.logins).to.have.length(2);
    });

    it('releases the connection of the refusal', async () => {
      const service = stubService();
      const client = await refusedClient(service);
      const { answerCall } = service;
      const answers: Response[] = [];
      service.answerCall = async (sent) => {
        const answer = await answerCall(sent);
        answers.push(answer);
        return answer;
      };
      const answer = await client.fetch('/a');
      expect([answers[0]?.bodyUsed, answers[1]]).to.deep.equal([true, answer]);
      expect(await answer.json()).to.deep.equal({ token: 'token-2' });
    });

    it('sends the body of a Request again', async () => {
      const service = stubService();
      const client = await refusedClient(service);
      const { answerCall } = service;
      const bodies: string[] = [];
      service.answerCall = async (sent) => {
        bodies.push(await (sent.input as Request).text());
        return answerCall(sent);
      };
      const request = new Request(`${ACCOUNT.baseUrl}/a`, { method: 'POST', body: 'a body' });
      expect((await client.fetch(request)).status).to.equal(200);
      expect(bodies).to.deep.equal(['a body', 'a body']);
    });

    for (const [title, body] of [
      ['a Blob', new Blob(['a body'])],
      ['bytes', new TextEncoder().encode('a body')],
      ['a form', new FormData()],
      ['parameters', new URLSearchParams('a=body')],
      ['null', null],
    ] as const) {
      it(`sends ${title} again`, async () => {
        const service = stubService();
        const client = await refusedClient(service);
        expect((await client.fetch('/a', { method: 'POST', body })).status).to.equal(200);
        expect(bodiesOf(service)).to.deep.equal([body, body]);
      });
    }

    for (const [title, stream] of [
      ['a ReadableStream', () => new Blob(['a body']).stream()],
      ['a ReadableStream that cannot be iterated, as in Safari', () => ({ getReader: () => undefined })],
      ['a stream of Node.js', () => Readable.from(['a body'])],
      [
        'an async generator',
        async function* () {
          yield await Promise.resolve('a body');
        },
      ],
    ] as const) {
      it(`does not send ${title} again, and says so`, async () => {
        const service = stubService();
        const client = await refusedClient(service);
        const init = { method: 'POST', body: stream() as unknown as ReadableStream, duplex: 'half' as const };
        const error = await rejectionOf(client.fetch('/a', init));
        expect(error).to.be.instanceOf(TypeError);
        expect((error as TypeError).message).to.equal(
          'createMerchantClient: the token was refused, and a stream cannot be sent again. ' +
            'Call again with a new stream, or send a string or a Blob.',
        );
        expect([service.logins.length, service.calls.length]).to.deep.equal([1, 1]);
        // The next call has another token, so it does not fail for the same reason.
        expect((await client.fetch('/a', { ...init, body: stream() as unknown as ReadableStream })).status).to.equal(
          200,
        );
        expect(tokensOf(service)).to.deep.equal(['token-1', 'token-2']);
      });
    }

    it('sends a stream once when the token is good', async () => {
      const service = stubService();
      const body = new Blob(['a body']).stream();
      const answer = await clientOf(service).fetch('/a', { method: 'POST', body, duplex: 'half' });
      expect([answer.status, service.calls.length]).to.deep.equal([200, 1]);
    });

    it('rejects with the error of a failed login', async () => {
      const service = stubService();
      const client = await refusedClient(service);
      service.answerLogin = () => service.answer(401, { error: 'account_disabled' });
      expect(await rejectionOf(client.fetch('/a'))).to.include({
        name: 'MerchantApiError',
        error: 'account_disabled',
      });
    });
  });

  describe('with an AbortSignal', () => {
    it('sends nothing when the signal is already aborted', async () => {
      const service = stubService();
      const reason = new Error('The customer has left.');
      expect(await rejectionOf(clientOf(service).fetch('/a', { signal: AbortSignal.abort(reason) }))).to.equal(reason);
      expect(service.logins).to.deep.equal([]);
    });

    for (const [title, callWith] of [
      ['in init', (client: MerchantClient, signal: AbortSignal) => client.fetch('/a', { signal })],
      [
        'of a Request',
        (client: MerchantClient, signal: AbortSignal) => client.fetch(new Request(`${ACCOUNT.baseUrl}/a`, { signal })),
      ],
    ] as const) {
      it(`rejects at once with the reason (${title}), and the shared login goes on for the others`, async () => {
        const service = stubService();
        const { opened, open } = gate();
        service.answerLogin = () => opened.then(() => service.success());
        const client = clientOf(service);
        const leaving = new AbortController();
        const left = rejectionOf(callWith(client, leaving.signal));
        const staying = client.fetch('/b', { signal: new AbortController().signal });
        await settle();
        const reason = new Error('The customer has left.');
        leaving.abort(reason);
        expect(await left).to.equal(reason);
        open();
        expect((await staying).status).to.equal(200);
        expect([service.logins.length, service.calls.length]).to.deep.equal([1, 1]);
      });
    }

    it('rejects at once during the login after a 401 too', async () => {
      const service = stubService();
      const client = await refusedClient(service);
      service.answerLogin = () => new Promise(() => undefined);
      const leaving = new AbortController();
      const left = rejectionOf(client.fetch('/a', { signal: leaving.signal }));
      await settle();
      leaving.abort();
      expect(await left).to.equal(leaving.signal.reason);
    });

    it('starts no login when it aborts together with the 401', async () => {
      const service = stubService();
      const client = await refusedClient(service);
      const leaving = new AbortController();
      const { answerCall } = service;
      service.answerCall = (sent) => {
        leaving.abort();
        return answerCall(sent);
      };
      expect(await rejectionOf(client.fetch('/a', { signal: leaving.signal }))).to.equal(leaving.signal.reason);
      expect([service.logins.length, service.calls.length]).to.deep.equal([1, 1]);
    });

    it('is passed on, and has no listener after the login', async () => {
      const service = stubService();
      const { signal } = new AbortController();
      await clientOf(service).fetch('/a', { signal });
      expect(service.calls[0]?.init.signal).to.equal(signal);
      expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
    });
  });
});
