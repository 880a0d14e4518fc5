import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { MerchantApiError } from '../src/index.js';
import { readText } from '../src/read-text.js';
import { serve } from '../../test/helpers/http.js';
import { rejectionOf } from '../../test/helpers/thrown.js';
import { clientOf, stubService, successBody } from './stub-service.js';

const MIB = 1_048_576;

/** An answer of 20 MiB, which comes in chunks of one kibibyte. */
function longAnswer(status = 200) {
  const source = { pulled: 0, isCanceled: false };
  const body = new ReadableStream({
    pull(controller) {
      source.pulled += 1_024;
      controller.enqueue(new Uint8Array(1_024));
      if (source.pulled === 20 * MIB) controller.close();
    },
    cancel: () => void (source.isCanceled = true),
  });
  return { source, answer: new Response(body, { status }) };
}

/** An answer as node-fetch returns it: its body is a stream of Node.js. */
const nodeAnswer = (body: Readable, answer = new Response()) => Object.defineProperty(answer, 'body', { value: body });

describe('readText', () => {
  const bytes = new TextEncoder().encode('\uFEFFÉtat : payé \u{1F333}');

  it('reads a body of exactly the limit, of each kind of stream, in chunks that split a character', async () => {
    const chunks = Array.from(bytes, (byte) => Uint8Array.of(byte));
    const web = () =>
      new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          controller.close();
        },
      });
    for (const limit of [bytes.length, bytes.length - 1]) {
      const text = limit === bytes.length ? 'État : payé \u{1F333}' : undefined;
      expect(await readText(new Response(web()), limit)).to.equal(text);
      expect(await readText(nodeAnswer(Readable.from(chunks)), limit)).to.equal(text);
    }
  });

  it('reads an answer without a body, and rejects when the body was read already', async () => {
    expect(await readText(new Response(null), 1)).to.equal('');
    const answer = new Response('text');
    await answer.text();
    expect(await rejectionOf(readText(answer, 10))).to.be.instanceOf(TypeError);
    expect(await rejectionOf(readText(nodeAnswer(Readable.from([]), answer), 10))).to.be.instanceOf(TypeError);
  });

  it('ends the download at the limit', async () => {
    const { source, answer } = longAnswer();
    expect(await readText(answer, 10_000)).to.equal(undefined);
    expect(source).to.include({ isCanceled: true });
    expect(source.pulled).to.be.below(20_000);
    const body = Readable.from(Array.from({ length: 100 }, () => new Uint8Array(1_024)));
    expect(await readText(nodeAnswer(body), 10_000)).to.equal(undefined);
    expect(body.destroyed).to.equal(true);
  });
});

describe('An answer over the limit', () => {
  it('rejects json with advice and the status, and ends the download', async () => {
    for (const [status, maxAnswerBytes, limit] of [
      [201, 5_000, 5_000],
      [401, 5_000, 5_000],
      [502, undefined, 10 * MIB],
    ] as const) {
      const service = stubService();
      const { source, answer } = longAnswer(status);
      service.answerCall = () => answer;
      const message = `The answer has more than ${limit} bytes. Check baseUrl, ask for less, or raise maxAnswerBytes.`;
      const error = await rejectionOf(clientOf(service, { maxAnswerBytes }).json('POST', '/a', {}));
      expect(error).to.deep.include({ name: 'MerchantApiError', status, message, body: { description: message } });
      expect([source.isCanceled, service.calls[0]?.init.signal?.aborted]).to.deep.equal([true, true]);
      expect(source.pulled).to.be.within(limit, limit + 10_000);
      expect(service.calls).to.have.length(1);
    }
  });

  it('rejects a login with advice after 1 MiB, whatever maxAnswerBytes is', async () => {
    for (const status of [200, 401]) {
      const service = stubService();
      const { source, answer } = longAnswer(status);
      service.answerLogin = () => answer;
      const message = 'The answer to the login has more than 1 MiB. Check baseUrl and loginPath.';
      const error = await rejectionOf(clientOf(service, { maxAnswerBytes: 10 * MIB }).login());
      expect(error).to.deep.include({ name: 'MerchantApiError', status, message, body: { description: message } });
      expect([source.isCanceled, service.logins[0]?.init.signal?.aborted]).to.deep.equal([true, true]);
      expect(source.pulled).to.be.within(MIB, MIB + 10_000);
    }
    const service = stubService();
    await clientOf(service, { maxAnswerBytes: 1 }).login();
  });

  it('is counted after decompression', async () => {
    const { port } = await serve((req: IncomingMessage, res: ServerResponse) => {
      const isLogin = req.url === '/v1/login';
      const body = isLogin ? JSON.stringify(successBody('token-1')) : ' '.repeat(100_000);
      res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(body));
    });
    const client = clientOf(
      { ...stubService(), fetch },
      { baseUrl: `http://127.0.0.1:${port}/v1`, maxAnswerBytes: 99_999 },
    );
    expect(await rejectionOf(client.json('GET', '/a'))).to.include({ name: 'MerchantApiError', status: 200 });
    // `fetch` leaves the body to the caller.
    expect(await (await client.fetch('/a')).text()).to.have.length(100_000);
  });

  it('is left out of MerchantApiError.from', async () => {
    const { source, answer } = longAnswer(500);
    expect(await MerchantApiError.from(answer)).to.include({ message: 'The service answered 500.', body: '' });
    expect(source.pulled).to.be.within(10 * MIB, 10 * MIB + 10_000);
  });
});
