import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import type { Request, RequestHandler } from 'express';
import fileUpload from 'express-fileupload';
import bridge from 'http2-express-bridge';
import type { UserStore } from '../../src/index.js';
import { AWA } from '../helpers/accounts.js';
import { bearer, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { settle } from '../helpers/until.js';

/** More than the buffers of a connection hold. */
const BYTES = randomBytes(4_000_000);
const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const WHOLE = digestOf(BYTES);

async function readDigest(req: Request): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(req, hash);
  return hash.digest('hex');
}

onEachExpress('an upload behind reference: unchecked', ({ major, auth, express }) => {
  const tokens = auth.createTokens();
  const { Authorization } = bearer(tokens.issue(AWA));
  const headers = { Authorization, 'Content-Type': 'application/octet-stream' };
  const answerDigest: RequestHandler = (req, res, next) => {
    readDigest(req).then((digest) => res.json({ digest }), next);
  };

  /** Answers after many bytes have arrived, so that they wait in the buffer. */
  const storeAnswers: Readonly<Record<string, () => Promise<void>>> = {
    'at once': () => Promise.resolve(),
    later: () => settle(),
  };

  for (const [when, wait] of Object.entries(storeAnswers)) {
    const userStore: UserStore = {
      findCredentials: () => Promise.resolve(null),
      findById: async () => {
        await wait();
        return AWA;
      },
    };
    const guard = () => auth.requireBearer({ userStore, tokens, reference: 'unchecked' });

    describe(`when the store answers ${when}`, () => {
      it('reaches the handler whole, with a length and in chunks', async () => {
        const client = await serve(express().use(guard(), answerDigest));
        for (const chunked of [false, true]) {
          const { json } = await client.send('POST', '/', { headers, body: BYTES, chunked });
          expect(json).to.deep.equal({ digest: WHOLE });
        }
      });

      it('reaches the handler and an earlier listener whole, also when it flows already', async () => {
        const heard: string[] = [];
        const listen: RequestHandler = (req, _res, next) => {
          const hash = createHash('sha256');
          req.on('data', (chunk: Buffer) => hash.update(chunk));
          req.on('end', () => heard.push(hash.digest('hex')));
          next();
        };
        const client = await serve(express().use(listen, guard(), answerDigest));
        const { json } = await client.send('POST', '/', { headers, body: BYTES });
        expect(json).to.deep.equal({ digest: WHOLE });
        expect(heard).to.deep.equal([WHOLE]);
      });

      it('reaches a parser of multipart bodies whole', async () => {
        const app = express().use(guard(), fileUpload());
        app.post('/', (req, res) => {
          const { files } = req as unknown as { files: Record<string, { data: Buffer }> };
          res.json({ digest: digestOf(files['scan']?.data ?? Buffer.of()) });
        });
        const { port } = await serve(app);
        const body = new FormData();
        body.set('scan', new Blob([BYTES]), 'scan.pdf');
        const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers: { Authorization }, body });
        expect(await response.json()).to.deep.equal({ digest: WHOLE });
      });

      it('is asked for with 100 Continue, by Node.js or by the handler', async () => {
        const app = express().use(guard());
        app.post('/', (req, res, next) => {
          if (server.listenerCount('checkContinue') > 0) res.writeContinue();
          answerDigest(req, res, next);
        });
        const server = http.createServer(app).listen(0, '127.0.0.1');
        await once(server, 'listening');
        const { port } = server.address() as AddressInfo;
        const send = async () => {
          const expecting = { ...headers, Expect: '100-continue', 'Content-Length': BYTES.length };
          const request = http.request({ port, host: '127.0.0.1', method: 'POST', headers: expecting, agent: false });
          request.flushHeaders();
          await once(request, 'continue');
          request.end(BYTES);
          const [response] = (await once(request, 'response')) as [http.IncomingMessage];
          const text = await response.setEncoding('utf8').reduce((all, part) => `${all}${part}`, '');
          return JSON.parse(text) as object;
        };
        try {
          expect(await send()).to.deep.equal({ digest: WHOLE });
          server.on('checkContinue', app);
          expect(await send()).to.deep.equal({ digest: WHOLE });
        } finally {
          server.close();
        }
      });

      // The bridge supports Express 4 alone.
      if (major === 5) return;

      it('reaches the handler and an earlier listener whole over HTTP/2', async () => {
        // The bridge changes both.
        const { application, response } = express as unknown as Record<string, Record<string, unknown>>;
        const lazyrouter = application?.['lazyrouter'];
        let heard = 0;
        const app = bridge(express as never) as unknown as ReturnType<typeof express>;
        app.use((req, _res, next) => {
          if (req.url === '/flowing') req.on('data', (chunk: Buffer) => (heard += chunk.length));
          next();
        });
        app.use(guard(), answerDigest);
        const server = http2.createServer(app as never).listen(0, '127.0.0.1');
        // TLS negotiates the protocol; the bridge asks for it.
        server.on('connection', (socket: object) => Object.assign(socket, { alpnProtocol: 'h2c' }));
        await once(server, 'listening');
        const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
        try {
          for (const path of ['/', '/flowing']) {
            const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
            stream.end(BYTES);
            const text = await stream.setEncoding('utf8').reduce((all, part) => `${all}${part}`, '');
            expect(JSON.parse(text)).to.deep.equal({ digest: WHOLE });
          }
          expect(heard).to.equal(BYTES.length);
        } finally {
          session.destroy();
          server.close();
          Object.assign(application ?? {}, { lazyrouter });
          delete response?.['push'];
        }
      });
    });
  }
});
