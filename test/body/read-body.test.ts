import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import type { AuthError } from '../../src/index.js';
import type { Request, RequestHandler } from 'express';
import { expectUnreadableBody, INVALID_BODY } from '../helpers/answers.js';
import type { Answer, Sending } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { type Payments, servePayments } from '../helpers/payments.js';
import { until } from '../helpers/until.js';
import { collectWarnings } from '../helpers/diagnostics.js';

const OWN = { refercence_cl: 'BTQ-1001' };
const FOREIGN = { refercence_cl: 'CNT-1002' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

onEachExpress('the body', (framework) => {
  let payments: Payments;

  async function host(...before: RequestHandler[]): Promise<void> {
    payments = await servePayments(framework, { before });
  }
  const ask = (path: string, sending: Sending): Promise<Answer> =>
    payments.client.send('POST', path, { ...sending, headers: { ...(sending.headers as object), ...payments.awa } });
  const post = (body: unknown, headers: object = JSON_TYPE) =>
    ask('/v1/transactions', { body, headers: headers as never });

  const listener: RequestHandler = (req, _res, next) => {
    req.on('data', () => undefined);
    next();
  };
  const LONG = `Content-Length: 300000\r\n\r\n${'x'.repeat(300_000)}`;

  for (const [how, before, token, status] of [
    ['', [], true, '415'],
    [' behind a data listener', [listener], true, '415'],
    [' behind a data listener, for its token', [listener], false, '401'],
  ] as const) {
    it(`that is refused unread${how} does not delay the next request on the connection`, async () => {
      await host(...before);
      const socket = net.connect(payments.client.port, '127.0.0.1');
      const line = (rest: string, isGood = true) =>
        `POST /v1/guarded HTTP/1.1\r\nHost: localhost\r\n${isGood ? `Authorization: ${payments.awa.Authorization}\r\n` : ''}${rest}`;
      socket.write(line(LONG, token));
      socket.write(line('Connection: close\r\n\r\n'));
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      await once(socket, 'close');
      const answers = Buffer.concat(chunks).toString();
      expect(answers.match(/HTTP\/1\.1 \d+/g)).to.deep.equal([`HTTP/1.1 ${status}`, 'HTTP/1.1 200']);
    });
  }

  it('that the host made unreadable is an error of the host, not of the caller', async () => {
    const decode: RequestHandler = (req, _res, next) => {
      req.setEncoding('utf8');
      next();
    };
    const refused: unknown[] = [];
    const respond = (error: unknown) => refused.push(error);
    payments = await servePayments(framework, { before: [decode], guard: { respond } });
    expect((await post(OWN)).status).to.equal(500);
    expect(refused).to.deep.equal([]);
    expect(payments.hostErrors).to.have.length(1);
    expect(payments.hostErrors[0]).to.include({ type: 'stream.encoding.set', status: 500 });
  });

  it('without a byte is no body, whatever its type, and leaves what a parser leaves', async () => {
    await host();
    for (const headers of [JSON_TYPE, { 'Content-Type': 'text/plain' }, {}]) {
      for (const chunked of [true, false]) {
        const answer = await ask('/v1/merchants/BTQ-1001', { chunked, headers });
        expect(answer.status).to.equal(200);
        // Without JSON, the guard leaves what the parser of Express leaves.
        const isObject = headers === JSON_TYPE || framework.major === 4;
        expect((answer.json as { body?: object }).body).to.deep.equal(isObject ? {} : undefined);
      }
    }
  });

  it('cannot be seen when its parser calls next before the end, and the request does not pass', async () => {
    collectWarnings();
    const { default: graphqlUpload } = await import('graphql-upload/graphqlUploadExpress.mjs');
    for (const path of ['/v1/guarded', '/v1/transactions']) {
      await host(graphqlUpload());
      const field = (name: string, value: string) =>
        `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
      const file = field('0"; filename="scan', 'x'.repeat(300_000));
      const body = `${field('operations', '{"query":"{a}","variables":{"file":null}}')}${field('map', '{"0":["variables.file"]}')}${file}--b--`;
      expectUnreadableBody(await ask(path, { body, headers: { 'Content-Type': 'multipart/form-data; boundary=b' } }));
    }
  });

  it('is read even when the caller has closed its side of the connection', async () => {
    await host();
    const body = JSON.stringify(FOREIGN);
    const socket = net.connect(payments.client.port, '127.0.0.1').setEncoding('utf8');
    const { Authorization } = payments.awa;
    const head = `POST /v1/guarded HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: ${Authorization}\r\n`;
    socket.end(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const answer = await socket.reduce((all, part) => `${all}${String(part)}`, '');
    expect(answer).to.match(/^HTTP\/1\.1 (403 Forbidden|400 Bad Request)\r\n/);
  });

  it('that is aborted, before or while it is read, is refused, and the request does not pass', async () => {
    const untilGone: RequestHandler = (req, _res, next) => void req.once('close', next);
    const atOnce: RequestHandler = (_req, _res, next) => next();
    for (const type of ['Content-Type: application/json\r\n', '']) {
      for (const wait of [untilGone, atOnce]) {
        const passed: Request[] = [];
        const errors: unknown[] = [];
        payments = await servePayments(framework, {
          before: [wait],
          guard: { respond: (error) => errors.push(error) },
          behind: [(req) => void passed.push(req)],
        });
        const socket = net.connect(payments.client.port, '127.0.0.1');
        const head = `POST /v1/guarded HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${payments.awa.Authorization}\r\n`;
        socket.write(`${head}${type}Transfer-Encoding: chunked\r\n\r\n`, () => socket.destroy());
        await until(() => errors.length > 0);
        expect(passed).to.deep.equal([]);
        expect(errors.map((error) => (error as AuthError).code)).to.deep.equal([INVALID_BODY]);
      }
    }
  });
});
