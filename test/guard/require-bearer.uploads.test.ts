import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Application, RequestHandler } from 'express';
import request from 'supertest';
import type { UserStore } from '../../src/index.js';
import { AWA } from '../helpers/accounts.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { settle } from '../helpers/until.js';

/** More than the buffers of a connection hold. */
const BYTES = randomBytes(4_000_000);

onEachExpress('an upload behind reference: unchecked', ({ auth, express }) => {
  const tokens = auth.createTokens();
  const upload = (app: Application) =>
    request(app).post('/').auth(tokens.issue(AWA), { type: 'bearer' }).type('application/octet-stream');
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
      const app = express().use(guard, answerWhole);
      await upload(app).send(BYTES).expect({ isWhole: true });
      const chunked = upload(app);
      chunked.write(BYTES);
      await chunked.expect({ isWhole: true });
    });

    it(`reaches the handler and an earlier listener whole when the store answers ${when}, even when it flows already`, async () => {
      const heard: Buffer[] = [];
      const listen: RequestHandler = (req, _res, next) => {
        req.on('data', (chunk: Buffer) => heard.push(chunk));
        next();
      };
      const app = express().use(listen, guard, answerWhole);
      await upload(app).send(BYTES).expect({ isWhole: true });
      expect(Buffer.concat(heard).equals(BYTES)).to.equal(true);
    });
  }
});
