import { expect } from 'chai';
import type { Request, RequestHandler } from 'express';
import type { UserStore } from '../../src/index.js';
import { accountStore } from '../helpers/accounts.js';
import { expectForeignReference, expectInvalidBody, expectUnreadableBody } from '../helpers/answers.js';
import type { Answer } from '../helpers/http.js';
import { onEveryExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { keepText, readText } from './keep-text.js';

const OWN = 'BTQ-1001';
const FOREIGN = 'CNT-1002';
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The routes and guards of a host that check the reference: the guard alone, both, and `requireOwnReference` alone. */
const CHECKS = [
  ['/v1/guarded', 'own'],
  ['/v1/transactions', 'own'],
  ['/v1/transactions', 'unchecked'],
] as const;

/** Makes a middleware that changes the request at once. */
function change(apply: (req: Request) => unknown): RequestHandler {
  return (req, _res, next) => {
    apply(req);
    next();
  };
}

const preset = change((req) => (req.body ??= {}));
const unannounce = change((req) => delete req.headers['content-length']);
const shorten = change((req) => (req.headers['content-length'] = '0'));
const mark = change((req) => {
  Reflect.set(req, '_body', true);
  req.body = { refercence_cl: OWN };
});

type Text = (reference: string) => string;
const inJson: Text = (reference) => JSON.stringify({ refercence_cl: reference });
const inForm: Text = (reference) => `refercence_cl=${reference}`;
const invalidLength = (answer: Answer) => expectInvalidBody(answer, 'The body could not be read.');

onEveryExpress('parsers of the host', (framework) => {
  type Row = readonly [
    title: string,
    before: readonly RequestHandler[],
    type: string,
    text: Text,
    refuse: (answer: Answer) => void,
    passes?: 'passes',
  ];
  const ROWS: readonly Row[] = [
    ['a body that is marked as read, JSON', [mark], JSON_TYPE, inJson, expectForeignReference, 'passes'],
    ['a body that is marked as read, a form', [mark], FORM_TYPE, inForm, expectUnreadableBody],
    ['a deleted Content-Length, JSON', [unannounce], JSON_TYPE, inJson, expectForeignReference, 'passes'],
    ['a deleted Content-Length, text', [unannounce], 'text/plain', inForm, expectUnreadableBody],
    // The parser compares the length.
    ['a Content-Length of 0, JSON', [shorten], JSON_TYPE, inJson, invalidLength],
    ['a Content-Length of 0, text', [shorten], 'text/plain', inForm, expectUnreadableBody],
    ['a Content-Length of 0 behind {}', [shorten, preset, readText], JSON_TYPE, inJson, expectUnreadableBody],
  ];
  for (const [title, before, type, text, refuse, passes] of ROWS) {
    it(`do not hide a foreign reference: ${title}`, async () => {
      for (const [path, reference] of CHECKS) {
        const { client, awa } = await servePayments(framework, { before, guard: { reference } });
        const post = (value: string) =>
          client.send('POST', path, { body: text(value), headers: { ...awa, 'Content-Type': type } });
        refuse(await post(FOREIGN));
        if (passes) expect((await post(OWN)).json).to.have.nested.property('body.refercence_cl', OWN);
      }
    });
  }

  describe('behind a listener that keeps the text', () => {
    /** A store whose answer takes some turns of the event loop, in which a flowing stream would lose its data. */
    function slowStore(): UserStore {
      const store = accountStore();
      const findById = store.findById.bind(store);
      store.findById = async (id) => {
        for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        return findById(id);
      };
      return store;
    }
    /** Answers at the end of the body with all that was read. */
    const atEnd: RequestHandler = (req, res) => {
      const answer = () => res.json({ body: req.body as unknown, text: Reflect.get(req, 'text') as unknown });
      if (req.readableEnded) answer();
      else req.on('end', answer).resume();
    };

    it('lose no byte of a body that the guard reads', async () => {
      const hostConfig = { before: [keepText], behind: [atEnd], guard: { userStore: slowStore() } };
      const { client, awa } = await servePayments(framework, hostConfig);
      // Longer than one chunk of a socket.
      const body = { refercence_cl: OWN, padding: 'é'.repeat(45_000) };
      const text = Buffer.from(JSON.stringify(body)).toString('latin1');
      for (const chunked of [false, true]) {
        const answer = await client.send('POST', '/v1/guarded', { headers: awa, body, chunked });
        expect(answer.json).to.deep.equal({ body, text });
      }
      const foreign = { ...body, refercence_cl: FOREIGN };
      expectForeignReference(await client.send('POST', '/v1/guarded', { headers: awa, body: foreign }));
    });
  });
});
