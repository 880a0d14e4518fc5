import { expect } from 'chai';
import type { Request, RequestHandler } from 'express';
import type { UserStore } from '../../src/index.js';
import { accountStore } from '../helpers/accounts.js';
import { expectForeignReference, expectInvalidReference, expectUnreadableBody } from '../helpers/answers.js';
import { onEveryExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';

const OWN = 'BTQ-1001';
const FOREIGN = 'CNT-1002';

/** Makes a middleware that changes the request at once. */
function change(apply: (req: Request) => unknown): RequestHandler {
  return (req, _res, next) => {
    apply(req);
    next();
  };
}
const mark = change((req) => Object.assign(req, { _body: true, body: { refercence_cl: OWN } }));
const shorten = change((req) => Object.assign(req.headers, { 'content-length': '0' }));
const preset = change((req) => (req.body ??= {}));
/** Keeps the text that others read from the stream. */
const keepText = change((req) => {
  Object.assign(req, { text: '' });
  req.on('data', (chunk: Buffer) =>
    Object.assign(req, { text: `${String(Reflect.get(req, 'text'))}${String(chunk)}` }),
  );
});
const readText: RequestHandler = (req, _res, next) => req.on('end', next).resume();

onEveryExpress('parsers of the host', (framework) => {
  const ROWS = {
    'a value that only a middleware marked as read': [[mark], `{"refercence_cl":"${FOREIGN}"}`, expectForeignReference],
    'a text of which JSON.parse drops a member': [
      [framework.express.raw({ type: () => true })],
      `{"refercence_cl":"${FOREIGN}","refercence_cl":"${OWN}"}`,
      expectInvalidReference,
    ],
    'a body that cannot be seen': [[shorten, preset, readText], `{"refercence_cl":"${FOREIGN}"}`, expectUnreadableBody],
  } as const;
  for (const [title, [before, body, expectRefusal]] of Object.entries(ROWS)) {
    it(`do not hide a foreign reference: ${title}`, async () => {
      for (const reference of ['own', 'unchecked'] as const) {
        const { client, awa } = await servePayments(framework, { before, guard: { reference } });
        const headers = { ...awa, 'Content-Type': 'application/json' };
        expectRefusal(await client.send('POST', '/v1/transactions', { body, headers }));
      }
    });
  }

  it('lose no byte of a body that the guard reads behind a listener', async () => {
    // A flowing stream would lose its data while the store waits.
    const userStore: UserStore = accountStore();
    const findById = userStore.findById.bind(userStore);
    userStore.findById = async (id) => {
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      return findById(id);
    };
    const atEnd: RequestHandler = (req, res) => {
      const answer = () => res.json({ body: req.body as unknown, text: Reflect.get(req, 'text') as unknown });
      if (req.readableEnded) answer();
      else req.on('end', answer).resume();
    };
    const { client, awa } = await servePayments(framework, {
      before: [keepText],
      behind: [atEnd],
      guard: { userStore },
    });
    // Longer than one chunk of a socket.
    const body = { refercence_cl: OWN, padding: 'x'.repeat(90_000) };
    for (const chunked of [false, true]) {
      const answer = await client.send('POST', '/v1/guarded', { headers: awa, body, chunked });
      expect(answer.json).to.deep.equal({ body, text: JSON.stringify(body) });
    }
  });
});
