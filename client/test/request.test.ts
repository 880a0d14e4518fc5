import { inspect } from 'node:util';
import { expect } from 'chai';
import type { MerchantClient } from '../src/index.js';
import { type FrozenTime, freezeTime } from '../../test/helpers/frozen-time.js';
import { rejectionOf } from '../../test/helpers/thrown.js';
import { countTimers } from '../../test/helpers/timers.js';
import { settle } from '../../test/helpers/until.js';
import { ACCOUNT, clientOf, gate, type Sent, type StubService, stubService } from './stub-service.js';

const UNKNOWN = 'The request may have run or not.';

const never = ({ init }: Sent) =>
  new Promise<Response>((_resolve, reject) => {
    init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
  });

/** Answers with headers, and with a body that does not end. */
const neverEnding = ({ init }: Sent) =>
  new Response(
    new ReadableStream({
      start: (body) => init.signal?.addEventListener('abort', () => body.error(init.signal?.reason)),
    }),
  );

describe('A request without an answer', () => {
  let service: StubService;
  let client: MerchantClient;
  beforeEach(() => {
    service = stubService();
    client = clientOf(service, { timeoutMs: 5_000 });
  });

  describe('in time', () => {
    let time: FrozenTime;
    beforeEach(() => {
      time = freezeTime();
    });

    /** Asserts that a call ends after five seconds and not before. */
    async function expectTimeout(call: Promise<unknown>): Promise<void> {
      let error: unknown;
      void call.catch((reason: unknown) => (error = reason));
      await settle();
      time.pass(4.99);
      await settle();
      expect(error).to.equal(undefined);
      time.pass(0.01);
      await settle();
      const message = `No answer from https://api.example within 5000 ms. ${UNKNOWN}`;
      expect(error).to.include({ name: 'TimeoutError', message });
    }

    it('ends a login and json, including the body', async () => {
      service.answerLogin = never;
      await expectTimeout(client.fetch('/a'));
      service.answerLogin = neverEnding;
      await expectTimeout(client.login());
      service.answerLogin = () => service.success();
      service.answerCall = never;
      await expectTimeout(client.json('GET', '/a'));
      service.answerCall = neverEnding;
      await expectTimeout(client.json('GET', '/a'));
    });

    it('ends fetch until the headers are there, even with the signal of the caller', async () => {
      await client.login();
      service.answerCall = never;
      await expectTimeout(client.fetch('/a', { signal: new AbortController().signal }));
      service.answerCall = neverEnding;
      const { body } = await client.fetch('/a');
      let isOver = false;
      void body?.getReader().closed.finally(() => (isOver = true));
      time.pass(3_600);
      await settle();
      expect(isOver).to.equal(false);
    });

    it('reads what arrived while the process stood still, for a second', async () => {
      await client.login();
      for (const isAnswered of [true, false]) {
        const { opened, open } = gate<Response>();
        service.answerCall = (sent) => Promise.race([opened, never(sent)]);
        let result: unknown;
        void client
          .json('GET', '/a')
          .catch((error: unknown) => error)
          .then((outcome) => (result = outcome));
        await settle();
        time.pass(4.99);
        time.standStill(60);
        time.pass(1.0);
        await settle();
        expect(result).to.equal(undefined);
        if (isAnswered) open(service.answer(200, { isAnswered }));
        else time.pass(0.01);
        await settle();
        expect(result).to.include(isAnswered ? { isAnswered } : { name: 'TimeoutError' });
      }
    });

    it('ends after 30 seconds without the option', async () => {
      service.answerLogin = never;
      const error = rejectionOf(clientOf(service).login());
      await settle();
      time.pass(30);
      expect(String(await error)).to.include('within 30000 ms');
    });
  });

  it('rejects with the reason of the signal that aborts', async () => {
    await client.login();
    // Some platforms reject with an error other than the reason.
    service.answerCall = (sent) => never(sent).catch(() => Promise.reject(new Error('aborted')));
    const leaving = new AbortController();
    const left = rejectionOf(client.fetch('/a', { signal: leaving.signal }));
    await settle();
    leaving.abort(new Error('The customer has left.', { cause: new Error('Too late.') }));
    expect(await left).to.equal(leaving.signal.reason);
  });

  describe('of a platform that keeps answers', () => {
    const cachesOf = ({ logins, calls }: StubService) =>
      [...logins, ...calls].map(({ init }) => (init as { readonly cache?: string }).cache);

    it('asks for a fresh one, unless the caller chose another cache', async () => {
      const [undecided, decided, reloading]: object[] = [undefined, 'force-cache', 'reload'].map((cache) => ({
        cache,
      }));
      await client.json('POST', '/a', {});
      await client.fetch('/a', undecided);
      await client.fetch(new Request(`${ACCOUNT.baseUrl}/a`));
      await client.fetch('/a', decided);
      await client.fetch(new Request(`${ACCOUNT.baseUrl}/a`, reloading));
      const fresh = 'no-store';
      expect(cachesOf(service)).to.deep.equal([fresh, fresh, fresh, fresh, 'force-cache', undefined]);
      expect(service.calls.at(-1)?.input).to.include({ cache: 'reload' });
    });

    it('does not ask where the platform refuses the member, as Workers with a date before 2024-11-11 do', async () => {
      const original = globalThis.Request;
      globalThis.Request = { prototype: {} } as typeof Request;
      try {
        await client.fetch('/a');
      } finally {
        globalThis.Request = original;
      }
      expect(cachesOf(service)).to.deep.equal([undefined, undefined]);
    });
  });

  const unparsable = Object.assign(new Error('Invalid header'), { code: 'HPE', data: 'token-1 baobab-2026' });
  const failed = (cause: unknown) => new TypeError('fetch failed', { cause });
  const refused = 'connect ECONNREFUSED 127.0.0.1:3000';
  for (const [title, failure, reason, code] of [
    ['a refused connection', failed(new Error(refused)), refused, undefined],
    ['several refused addresses', failed(Object.assign(new AggregateError([]), { code: 'E' })), 'E', 'E'],
    ['an answer that cannot be parsed', failed(unparsable), 'Invalid header', 'HPE'],
    ['such an answer, in an error without a cause', unparsable, 'Invalid header', 'HPE'],
    ['a text', failed('token-1'), 'fetch failed', undefined],
  ] as const) {
    it(`says that the cause is ${title}, without the password and the token`, async () => {
      await client.login();
      service.answerLogin = service.answerCall = () => Promise.reject(failure);
      const error = (await rejectionOf(client.json('POST', '/a', {}))) as TypeError;
      expect(error).to.be.instanceOf(TypeError);
      expect(error.message).to.equal(`No answer from https://api.example: ${reason}. ${UNKNOWN}`);
      expect(error.cause).to.include({ message: reason, code });
      expect(inspect(error, { depth: Infinity, showHidden: true })).not.to.match(/token-1|baobab/);
      expect(await rejectionOf(client.login())).to.include({ message: error.message });
      expect(service.calls).to.have.length(1);
    });
  }

  it('rejects with the error of fetch when that names no cause, and sends the request once', async () => {
    const failure = new TypeError('Request with GET/HEAD method cannot have body.');
    service.answerCall = () => Promise.reject(failure);
    expect(await rejectionOf(client.fetch('/a'))).to.equal(failure);
    expect(service.calls).to.have.length(1);
  });

  it('leaves no timer behind, so that a script can end', async () => {
    const timers = await countTimers();
    await client.json('GET', '/a');
    service.answerCall = () => Promise.reject(new Error(ACCOUNT.baseUrl));
    await rejectionOf(client.fetch('/a'));
    expect(timers()).to.equal(0);
  });
});
