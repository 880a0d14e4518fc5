import { Readable } from 'node:stream';
import { expect } from 'chai';
import type { Request, RequestHandler } from 'express';
import fileUpload from 'express-fileupload';
import formidable from 'express-formidable';
import qs from 'qs';
import type { RequireBearerOptions, UserStore } from '../../src/index.js';
import { accountStore, AWA } from '../helpers/accounts.js';
import {
  expectError,
  expectForeignReference,
  expectInvalidBody,
  expectInvalidReference,
  expectUnreadableBody,
} from '../helpers/answers.js';
import { type Answer, bearer, type Client, serve, type Sending } from '../helpers/http.js';
import { onEveryExpress } from '../helpers/on-each-express.js';
import { collectWarnings } from '../helpers/warnings.js';

const OWN = 'BTQ-1001';
const FOREIGN = 'CNT-1002';
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data; boundary=b';
/** Longer than one chunk of a socket. */
const PADDING = 'é'.repeat(45_000);

const GUARDED = '/v1/guarded';
const TRANSACTIONS = '/v1/transactions';
const INHERITED = '/v1/inherited';
/** Every route that refuses a foreign reference. */
const CHECKED = [GUARDED, TRANSACTIONS, INHERITED];

interface HostConfig {
  /** Mounted in front of the guard. */
  readonly before?: readonly RequestHandler[];
  readonly guard?: RequireBearerOptions;
  /** The routes are in an application below `/api` of another one. */
  readonly isMounted?: boolean;
  /** The setting `query parser` of Express. */
  readonly queryParser?: unknown;
  readonly handler?: RequestHandler;
}

/** Makes the multipart text of fields. */
function multipart(...fields: readonly (readonly [string, string])[]): string {
  const parts = fields.map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--b--\r\n`;
}

/** Reads the stream, as a parser of the host does, and calls `use` with the text. */
function reader(use: (req: Request, text: string) => void): RequestHandler {
  return (req, _res, next) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      use(req, Buffer.concat(chunks).toString());
      next();
    });
  };
}

/** Makes a middleware that changes the request at once. */
function change(apply: (req: Request) => void): RequestHandler {
  return (req, _res, next) => {
    apply(req);
    next();
  };
}

/** Sets `req.body` to `{}`, as Express 4 does. */
const preset = change((req) => {
  req.body ??= {};
});

onEveryExpress('parsers of the host', ({ auth, express, major }) => {
  let client: Client;
  /** The requests that reached a handler. */
  let handled: Request[];

  /** The three routes: behind the guard, with `requireOwnReference` too, and with it alone checking. */
  async function host(config: HostConfig = {}): Promise<void> {
    handled = [];
    const app = express();
    if ('queryParser' in config) app.set('query parser', config.queryParser);
    for (const middleware of config.before ?? []) app.use(middleware);
    const store = accountStore();
    const guard = auth.requireBearer({ userStore: store, ...config.guard });
    const unchecked = auth.requireBearer({ userStore: store, ...config.guard, reference: 'unchecked' });
    const handler: RequestHandler = (req, res, next) => {
      handled.push(req);
      (config.handler ?? ((_req, response) => response.json({ passed: true })))(req, res, next);
    };
    app.all(GUARDED, guard, handler);
    app.all(TRANSACTIONS, guard, auth.requireOwnReference(), handler);
    app.all(INHERITED, unchecked, auth.requireOwnReference(), handler);
    app.all('/v1/merchants/:refercence_cl', guard, auth.requireOwnReference(), handler);
    app.use(auth.authErrorHandler({ log: () => undefined }));
    client = await serve(config.isMounted === true ? express().use('/api', app) : app);
  }

  const { Authorization } = bearer(auth.createTokens().issue(AWA));
  const ask = (method: string, path: string, sending: Sending = {}): Promise<Answer> =>
    client.send(method, path, { ...sending, headers: { Authorization, ...(sending.headers as object) } });
  const post = (path: string, type: string, body: unknown) =>
    ask('POST', path, { body, headers: { 'Content-Type': type } });

  /** Asserts that no handler ran since the last call. */
  function expectNotHandled(): void {
    expect(handled).to.deep.equal([]);
  }

  /** Asserts that one handler ran since the last call, and returns its request. */
  function expectHandled(answer: Answer): Request & Record<string, unknown> {
    expect(answer.status, answer.text).to.equal(200);
    expect(handled).to.have.length(1);
    return handled.splice(0)[0] as Request & Record<string, unknown>;
  }

  async function expectRefused(expectAnswer: (answer: Answer) => void, type: string, body: unknown): Promise<void> {
    for (const path of CHECKED) {
      expectAnswer(await post(path, type, body));
      expectNotHandled();
    }
  }

  describe('express-fileupload', () => {
    beforeEach(() => host({ before: [fileUpload({ parseNested: true })] }));

    it('makes an array with a named member, which is checked', async () => {
      const fields = (reference: string) =>
        multipart(['refercence_cl', OWN], ['payment[0]', '1'], ['payment[refercence_cl]', reference]);
      await expectRefused(expectForeignReference, MULTIPART_TYPE, fields(FOREIGN));
      for (const path of CHECKED) {
        const { body } = expectHandled(await post(path, MULTIPART_TYPE, fields(OWN))) as { readonly body: unknown };
        const expected = Object.assign(['1'], { refercence_cl: OWN });
        expect(body).to.deep.equal(Object.assign(Object.create(null), { refercence_cl: OWN, payment: expected }));
      }
    });

    it('leaves a field with brackets as the path of a nested member', async () => {
      await expectRefused(expectForeignReference, MULTIPART_TYPE, multipart(['a[0][b].refercence_cl', FOREIGN]));
      await expectRefused(expectInvalidReference, MULTIPART_TYPE, multipart(['refercence_cl[]', OWN]));
      await expectRefused(expectInvalidReference, MULTIPART_TYPE, multipart(['refercence cl', OWN]));
    });
  });

  describe('express-formidable', () => {
    const encodings: readonly (readonly [string, (reference: string) => string, RequestHandler])[] = [
      [MULTIPART_TYPE, (reference) => multipart(['refercence_cl', reference]), express.json()],
      [FORM_TYPE, (reference) => `refercence_cl=${reference}`, express.json()],
      // `express.json` would read this one.
      [JSON_TYPE, (reference) => JSON.stringify({ refercence_cl: reference }), express.urlencoded({ extended: true })],
    ];

    it('that reads what a parser in front skipped makes a body that cannot be seen', async () => {
      for (const [type, encode, skipping] of encodings) {
        const fields: unknown[] = [];
        const record = change((req) => fields.push([Reflect.get(req, 'fields'), req.body]));
        await host({ before: [skipping, formidable(), record] });
        await expectRefused(expectUnreadableBody, type, encode(FOREIGN));
        const skipped = major === 4 ? {} : undefined;
        expect(fields[0], type).to.deep.equal([{ refercence_cl: FOREIGN }, skipped]);
      }
    });

    it('that reads behind a middleware that presets {} makes a body that cannot be seen', async () => {
      for (const [type, encode] of encodings) {
        await host({ before: [preset, formidable()] });
        await expectRefused(expectUnreadableBody, type, encode(FOREIGN));
      }
    });

    for (const [title, empty] of [
      ['null', () => null],
      ['false', () => false],
      ['an empty text', () => ''],
      ['an empty Buffer', () => Buffer.alloc(0)],
      ['an empty array', () => []],
      ['an empty Map', () => new Map()],
    ] as const) {
      it(`that reads behind a middleware that presets ${title} makes a body that cannot be seen`, async () => {
        for (const [type, encode] of encodings) {
          await host({ before: [change((req) => (req.body = empty() as unknown)), formidable()] });
          await expectRefused(expectUnreadableBody, type, encode(FOREIGN));
        }
      });
    }

    it('passes the own reference when the host copies the fields to req.body', async () => {
      for (const [type, encode, skipping] of encodings) {
        const copy = change((req) => (req.body = Reflect.get(req, 'fields') as unknown));
        await host({ before: [skipping, formidable(), copy] });
        await expectRefused(expectForeignReference, type, encode(FOREIGN));
        for (const path of CHECKED) {
          expect(expectHandled(await post(path, type, encode(OWN)))['fields']).to.deep.equal({ refercence_cl: OWN });
        }
      }
    });
  });

  describe('a reader that leaves only req.rawBody', () => {
    const keepRaw = reader((req, text) => Reflect.set(req, 'rawBody', text));

    it('makes a body that cannot be seen', async () => {
      for (const [type, body, skipping] of [
        [MULTIPART_TYPE, multipart(['refercence_cl', FOREIGN]), express.json()],
        [FORM_TYPE, `refercence_cl=${FOREIGN}`, express.json()],
        [JSON_TYPE, `{"refercence_cl":"${FOREIGN}"}`, express.urlencoded({ extended: true })],
      ] as const) {
        for (const before of [[keepRaw], [skipping, keepRaw], [preset, keepRaw]]) {
          await host({ before });
          await expectRefused(expectUnreadableBody, type, body);
        }
      }
    });

    it('passes the own reference when the host parses it too', async () => {
      await host({
        before: [keepRaw, change((req) => (req.body = JSON.parse(String(Reflect.get(req, 'rawBody'))) as unknown))],
      });
      await expectRefused(expectForeignReference, JSON_TYPE, { refercence_cl: FOREIGN });
      for (const path of CHECKED) expectHandled(await post(path, JSON_TYPE, { refercence_cl: OWN }));
    });
  });

  describe('a middleware', () => {
    it('that fills req.body and marks the body as read does not replace the body in the stream', async () => {
      const mark = change((req) => {
        Reflect.set(req, '_body', true);
        req.body = { refercence_cl: OWN };
      });
      await host({ before: [mark] });
      await expectRefused(expectForeignReference, JSON_TYPE, { refercence_cl: FOREIGN });
      await expectRefused(expectUnreadableBody, 'text/plain', `refercence_cl=${FOREIGN}`);
      await expectRefused(expectUnreadableBody, FORM_TYPE, `refercence_cl=${FOREIGN}`);
      for (const path of CHECKED) {
        const sent = { refercence_cl: OWN, amount: 5 };
        expect(expectHandled(await post(path, JSON_TYPE, sent)).body).to.deep.equal(sent);
      }
    });

    it('that deletes Content-Length does not hide the body', async () => {
      await host({ before: [change((req) => delete req.headers['content-length'])] });
      await expectRefused(expectForeignReference, JSON_TYPE, { refercence_cl: FOREIGN });
      await expectRefused(expectUnreadableBody, 'text/plain', `refercence_cl=${FOREIGN}`);
      for (const path of CHECKED) {
        const sent = { refercence_cl: OWN, amount: 5 };
        expect(expectHandled(await post(path, JSON_TYPE, sent)).body).to.deep.equal(sent);
      }
    });

    it('that sets Content-Length to 0 does not hide the body', async () => {
      await host({ before: [change((req) => (req.headers['content-length'] = '0'))] });
      // The parser compares the length.
      const expectWrongLength = (answer: Answer) => expectInvalidBody(answer, 'The body could not be read.');
      await expectRefused(expectWrongLength, JSON_TYPE, { refercence_cl: FOREIGN });
      await expectRefused(expectUnreadableBody, 'text/plain', `refercence_cl=${FOREIGN}`);
      expectHandled(await ask('GET', `${TRANSACTIONS}?refercence_cl=${OWN}`));
    });

    it('that sets Content-Length to 0 does not make {} count as an empty body', async () => {
      const shorten = change((req) => (req.headers['content-length'] = '0'));
      const keepRaw = reader((req, text) => Reflect.set(req, 'rawBody', text));
      await host({ before: [shorten, preset, keepRaw] });
      await expectRefused(expectUnreadableBody, JSON_TYPE, { refercence_cl: FOREIGN });
      await expectRefused(expectUnreadableBody, 'text/plain', `refercence_cl=${FOREIGN}`);
    });

    describe('that copies the members of a body', () => {
      const copy = change((req) => (req.body = Object.assign({}, req.body as object)));
      const trim = change((req) => {
        const trimmed: Record<string, unknown> = {};
        for (const [key, value] of Object.entries(req.body as object)) {
          trimmed[key] = typeof value === 'string' ? value.trim() : value;
        }
        req.body = trimmed;
      });

      async function expectChecked(body: string, passing: readonly string[]): Promise<void> {
        for (const middleware of [copy, trim]) {
          await host({ before: [express.json(), middleware] });
          await expectRefused(expectForeignReference, JSON_TYPE, body.replace('#', FOREIGN));
          for (const path of passing) expectHandled(await post(path, JSON_TYPE, body.replace('#', OWN)));
        }
      }

      it('makes a prototype of __proto__, which is checked', async () => {
        await expectChecked('{"__proto__":{"refercence_cl":"#"}}', CHECKED);
        await expectChecked('{"__proto__":{"payment":{"refercence_cl":"#"}}}', [GUARDED]);
        await expectChecked(`{"refercence_cl":"${OWN}","__proto__":{"payment":{"refercence_cl":"#"}}}`, CHECKED);
      });

      it('makes a prototype whose members are checked also behind own members of the same name', async () => {
        await expectChecked(`{"refercence_cl":"${OWN}","__proto__":{"refercence_cl":"#"}}`, CHECKED);
      });
    });
  });

  describe('a value that shows no members', () => {
    const text = `{"refercence_cl":"${FOREIGN}"}`;
    const bytes = new TextEncoder().encode(text);
    const values: Readonly<Record<string, () => unknown>> = {
      'an ArrayBuffer': () => bytes.buffer,
      'a DataView': () => new DataView(bytes.buffer),
      'a Blob': () => new Blob([text]),
      'an Int8Array': () => new Int8Array(bytes.buffer),
      'a String object': () => new String(text),
      'a stream': () => Readable.from([text]),
      'a web stream': () => new Blob([text]).stream(),
      'a function': () => () => text,
      'a Date': () => new Date(0),
      'a promise': () => Promise.resolve({ refercence_cl: FOREIGN }),
    };
    for (const [title, value] of Object.entries(values)) {
      it(`is a body that cannot be seen: ${title}`, async () => {
        await host({ before: [reader((req) => (req.body = value()))] });
        await expectRefused(expectUnreadableBody, JSON_TYPE, text);
        await expectRefused(expectUnreadableBody, MULTIPART_TYPE, multipart(['refercence_cl', FOREIGN]));
      });
    }
  });

  describe('a container of Node.js', () => {
    const containers: Readonly<Record<string, (reference: string) => unknown>> = {
      'a Map': (reference) => new Map([['refercence_cl', reference]]),
      'a URLSearchParams': (reference) => new URLSearchParams({ refercence_cl: reference }),
      'a FormData': (reference) => {
        const form = new FormData();
        form.set('refercence_cl', reference);
        return form;
      },
    };
    for (const [title, make] of Object.entries(containers)) {
      it(`is checked, and its reference is found where handlers look: ${title}`, async () => {
        await host({ before: [reader((req, text) => (req.body = make(text)))] });
        for (const type of [JSON_TYPE, FORM_TYPE, MULTIPART_TYPE]) {
          await expectRefused(expectForeignReference, type, FOREIGN);
          for (const path of CHECKED) expectHandled(await post(path, type, OWN));
        }
      });
    }
  });

  describe('the query', () => {
    /** Names that every parser makes the field of, and names that parsers disagree on. */
    const PLAIN = ['refercence_cl', '%72efercence_cl'];
    const AMBIGUOUS = ['payment.refercence_cl', 'refercence.cl', 'refercence+cl', 'refercence[cl'];
    const allowDots = (text: string) => qs.parse(text, { allowDots: true });
    const hosts: Readonly<Record<string, HostConfig>> = {
      'the default parser': {},
      'no parser': { queryParser: false },
      'the simple parser': { queryParser: 'simple' },
      'the extended parser': { queryParser: 'extended' },
      'a parser of dots': { queryParser: allowDots },
      'a parser of dots, in a mounted application': { queryParser: allowDots, isMounted: true },
    };
    for (const [title, config] of Object.entries(hosts)) {
      it(`is checked as it is in the URL, with ${title}`, async () => {
        await host(config);
        const prefix = config.isMounted === true ? '/api' : '';
        for (const before of ['', '&'.repeat(1_000), 'a&'.repeat(1_000)]) {
          for (const path of CHECKED) {
            const get = (name: string, value: string) => ask('GET', `${prefix}${path}?${before}${name}=${value}`);
            for (const name of PLAIN) {
              expectForeignReference(await get(name, FOREIGN));
              expectNotHandled();
            }
            for (const name of AMBIGUOUS) {
              const answer = await get(name, FOREIGN);
              // A parser of dots makes the field itself, which is compared first.
              if (answer.status === 403) expectForeignReference(answer);
              else expectInvalidReference(answer);
              expectInvalidReference(await get(name, OWN));
              expectNotHandled();
            }
          }
          for (const name of PLAIN) expectHandled(await ask('GET', `${prefix}${GUARDED}?${before}${name}=${OWN}`));
        }
      });
    }
  });

  describe('a listener in front that keeps the text', () => {
    const keepText = change((req) => {
      let text = '';
      req.on('data', (chunk: Buffer) => Reflect.set(req, 'text', (text += chunk.toString('latin1'))));
    });
    /** Answers when the listeners in front have the whole body. */
    const answerAtEnd: RequestHandler = (req, res) => {
      if (req.readableEnded) res.json({});
      else req.on('end', () => res.json({})).resume();
    };
    /** Reads what is left of the stream behind the guard. */
    const readAll: RequestHandler = (req, res) => {
      let text = '';
      req.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      req.on('end', () => {
        Reflect.set(req, 'readBehind', text);
        res.json({});
      });
    };
    /** A store whose answer takes some turns of the event loop, in which a flowing stream would lose its data. */
    function slowStore(): UserStore {
      const store = accountStore();
      return {
        findCredentials: (identifier) => store.findCredentials(identifier),
        findById: async (id) => {
          for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          return store.findById(id);
        },
      };
    }
    const latin = (text: string) => Buffer.from(text).toString('latin1');

    it('gets every byte of a body that the guard reads, and the handler gets the body', async () => {
      await host({ before: [keepText], guard: { userStore: slowStore() }, handler: answerAtEnd });
      const sent = { refercence_cl: OWN, padding: PADDING };
      for (const path of CHECKED) {
        for (const chunked of [false, true]) {
          const request = expectHandled(await ask('POST', path, { body: sent, chunked }));
          expect(request.body).to.deep.equal(sent);
          expect(request['text']).to.equal(latin(JSON.stringify(sent)));
        }
      }
      await expectRefused(expectForeignReference, JSON_TYPE, { padding: PADDING, refercence_cl: FOREIGN });
      await expectRefused(expectUnreadableBody, 'text/plain', `refercence_cl=${FOREIGN}`);
      await expectRefused(expectUnreadableBody, FORM_TYPE, `refercence_cl=${FOREIGN}`);
    });

    for (const reference of ['unchecked', 'reported'] as const) {
      describe(`in front of a guard with reference: '${reference}'`, () => {
        const types: readonly Readonly<Record<string, string>>[] = [
          { 'Content-Type': 'text/plain' },
          { 'Content-Type': FORM_TYPE },
          {},
        ];
        for (const headers of types) {
          it(`gets every byte, and the handler reads them too: ${headers['Content-Type'] ?? 'no type'}`, async () => {
            const warnings = collectWarnings();
            await host({ before: [keepText], guard: { userStore: slowStore(), reference }, handler: readAll });
            const body = `refercence_cl=${FOREIGN}&padding=${PADDING}`;
            for (const chunked of [false, true]) {
              const request = expectHandled(await ask('POST', GUARDED, { body, headers, chunked }));
              expect(request['text'] === latin(body), 'the text of the listener').to.equal(true);
              expect(request['readBehind'] === latin(body), 'the text of the handler').to.equal(true);
            }
            expect(warnings.length).to.be.lessThan(2);
          });
        }
      });
    }

    it('gets every byte of JSON that a guard does not check, and the handler reads them too', async () => {
      await host({ before: [keepText], guard: { userStore: slowStore(), reference: 'unchecked' }, handler: readAll });
      const body = JSON.stringify({ refercence_cl: FOREIGN, padding: PADDING });
      const request = expectHandled(await post(GUARDED, JSON_TYPE, body));
      expect(request['text'] === latin(body), 'the text of the listener').to.equal(true);
      expect(request['readBehind'] === latin(body), 'the text of the handler').to.equal(true);
    });

    it('does not make the guard wait for a request without a body', async () => {
      await host({ before: [keepText], guard: { userStore: slowStore() }, handler: answerAtEnd });
      expectHandled(await ask('GET', GUARDED));
      expectHandled(await ask('POST', GUARDED, { chunked: true }));
    });
  });

  it('do not run for a path that cannot be decoded, and the answer does not repeat the path', async () => {
    await host();
    const answer = await ask('GET', '/v1/merchants/%ff');
    const description = 'The path of the URL cannot be decoded. Percent-encode it as UTF-8, and write a % as %25.';
    expectError(answer, { code: 400, error: 'invalid_url', message: 'URL not valid', description });
    expect(answer.text).not.to.include('%ff');
    expectNotHandled();
  });
});
