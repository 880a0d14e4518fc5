import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { RequestHandler } from 'express';
import type { UserStore } from '../../src/index.js';
import { AWA } from '../helpers/accounts.js';
import { bearer, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { settle } from '../helpers/until.js';

/** More than the buffers of a connection hold. */
const BYTES = randomBytes(4_000_000);

onEachExpress('an upload behind reference: unchecked', ({ auth, express }) => {
  const tokens = auth.createTokens();
  const { Authorization } = bearer(tokens.issue(AWA));
  const headers = { Authorization, 'Content-Type': 'application/octet-stream' };
  const answerWhole: RequestHandler = (req, res, next) => {
    buffer(req).then((bytes) => res.json({ isWhole: bytes.equals(BYTES) }), next);
  };

  /** Answers after many bytes have arrived, so that they wait in the buffer. */
  const storeAnswers: Readonly<Record<string, () => Promise<void>>> = {
    'at once': () => Promise.resolve(),
    later: () => settle(),
  };

  for (const [when, wait] of Object.entries(storeAnswers)) {
    const userStore: UserStore = {
      findCredentials: () => Promise.resolve(null),
      findById: () => wait().then(() => AWA),
    };
    const guard = auth.requireBearer({ userStore, tokens, reference: 'unchecked' });

    it(`reaches the handler whole when the store answers ${when}, with a length and in chunks`, async () => {
      const client = await serve(express().use(guard, answerWhole));
      for (const chunked of [false, true]) {
        const { json } = await client.send('POST', '/', { headers, body: BYTES, chunked });
        expect(json).to.deep.equal({ isWhole: true });
      }
    });

    it(`reaches the handler and an earlier listener whole when the store answers ${when}, even when it flows already`, async () => {
      const heard: Buffer[] = [];
      const listen: RequestHandler = (req, _res, next) => {
        req.on('data', (chunk: Buffer) => heard.push(chunk));
        next();
      };
      const client = await serve(express().use(listen, guard, answerWhole));
      const { json } = await client.send('POST', '/', { headers, body: BYTES });
      expect(json).to.deep.equal({ isWhole: true });
      expect(Buffer.concat(heard).equals(BYTES)).to.equal(true);
    });
  }
});
