import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import bridge from 'http2-express-bridge';
import { accountStore, AWA } from '../helpers/accounts.js';
import { FOREIGN_REFERENCE, UNREADABLE_BODY } from '../helpers/answers.js';
import { onEachExpress } from '../helpers/on-each-express.js';

onEachExpress('HTTP/2 through http2-express-bridge', ({ major, auth, express }) => {
  // The bridge supports Express 4 alone.
  if (major === 5) return;

  let server: http2.Http2Server;
  let session: http2.ClientHttp2Session;
  let seen: unknown[];

  // The bridge changes both.
  const { application, response } = express as unknown as Record<'application' | 'response', Record<string, unknown>>;
  const { lazyrouter } = application;
  after(() => {
    application['lazyrouter'] = lazyrouter;
    delete response['push'];
  });

  beforeEach(async () => {
    seen = [];
    const app = bridge(express as never) as unknown as ReturnType<typeof express>;
    app.use('/v1', auth.requireBearer({ userStore: accountStore() }));
    app.all('/v1/guarded', (req, res) => {
      seen.push(req.body);
      res.json({ referencl: auth.merchantOf(req).referencl });
    });
    app.all('/v1/transactions', auth.requireOwnReference(), (_req, res) => void res.json({ ok: true }));
    app.use(auth.authErrorHandler({ log: () => undefined }));
    server = http2.createServer(app as never).listen(0, '127.0.0.1');
    // TLS negotiates the protocol; the bridge asks for it.
    server.on('connection', (socket: object) => Object.assign(socket, { alpnProtocol: 'h2c' }));
    await once(server, 'listening');
    session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterEach(() => {
    session.destroy();
    server.close();
  });

  /** Sends a request whose stream ends with its headers, unless there is a body. No Content-Length is sent. */
  async function send(method: string, path: string, headers: object = {}, ...body: string[]) {
    const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body.length === 0 });
    for (const part of body) stream.write(part);
    if (body.length > 0) stream.end();
    const [{ ':status': status }] = (await once(stream, 'response')) as [
      http2.IncomingHttpHeaders & { ':status': number },
    ];
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += String(chunk);
    return { status, json: JSON.parse(text) as object };
  }

  const authorization = { authorization: `Bearer ${auth.createTokens().issue(AWA)}` };
  const json = { ...authorization, 'content-type': 'application/json' };

  it('reads and checks a body without Content-Length', async () => {
    const own = JSON.stringify({ refercence_cl: 'BTQ-1001' });
    expect(await send('POST', '/v1/guarded', json, own.slice(0, 5), own.slice(5))).to.deep.equal({
      status: 200,
      json: { referencl: 'BTQ-1001' },
    });
    expect(seen).to.deep.equal([{ refercence_cl: 'BTQ-1001' }]);
    expect((await send('POST', '/v1/transactions', json, own)).status).to.equal(200);
    for (const path of ['/v1/guarded', '/v1/transactions']) {
      const { status, json: answer } = await send('POST', path, json, '{"refercence_cl":"CNT-1002"}');
      expect(status).to.equal(403);
      expect(answer).to.include({ error: FOREIGN_REFERENCE });
    }
    expect(seen).to.have.length(1);
  });

  it('refuses a body that cannot be seen', async () => {
    const form = { ...authorization, 'content-type': 'application/x-www-form-urlencoded' };
    for (const headers of [form, authorization]) {
      const { status, json: answer } = await send('POST', '/v1/guarded', headers, 'refercence_cl=CNT-1002');
      expect(status).to.equal(415);
      expect(answer).to.include({ error: UNREADABLE_BODY });
    }
    expect(seen).to.deep.equal([]);
  });

  it('lets a request without a body pass', async () => {
    expect((await send('GET', '/v1/guarded', authorization)).status).to.equal(200);
    expect((await send('POST', '/v1/guarded', authorization)).status).to.equal(200);
    // The stream ends with an empty frame after the headers.
    expect((await send('POST', '/v1/guarded', authorization, '')).status).to.equal(200);
    expect((await send('GET', '/v1/transactions?refercence_cl=BTQ-1001', authorization, '')).status).to.equal(200);
    expect((await send('GET', '/v1/guarded?refercence_cl=CNT-1002', authorization)).status).to.equal(403);
  });
});
