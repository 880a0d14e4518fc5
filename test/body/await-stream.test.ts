import { createHash } from 'node:crypto';
import http from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import express5, { type RequestHandler } from 'express';
import express4 from 'express4';
import { formidable } from 'formidable';
import type { AuthError } from '../../src/index.js';
import { accountStore } from '../helpers/accounts.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { type Payments, type PaymentsConfig, servePayments } from '../helpers/payments.js';
import { settle, until } from '../helpers/until.js';

const OWN = 'BTQ-1001';
const FOREIGN = 'CNT-1002';
/** More than the buffers of a stream hold. */
const FILE = 'x'.repeat(300_000);
const FILE_DIGEST = createHash('sha256').update(FILE).digest('hex');

interface GraphqlFile {
  createReadStream(): Readable;
}

/** A request whose body the test sends piece by piece. */
class SlowRequest {
  readonly #request: http.ClientRequest;
  #answer: { status: number; json: object } | undefined;

  constructor({ client, awa }: Payments, path: string, headers: Readonly<Record<string, string>> = {}) {
    this.#request = http.request({ port: client.port, host: '127.0.0.1', method: 'POST', path, agent: false });
    for (const [name, value] of Object.entries({ ...awa, 'Transfer-Encoding': 'chunked', ...headers })) {
      this.#request.setHeader(name, value);
    }
    this.#request.on('error', () => undefined);
    this.#request.on('response', (response) => void this.#read(response));
    this.#request.flushHeaders();
  }

  async #read(response: http.IncomingMessage): Promise<void> {
    const text = await response.setEncoding('utf8').reduce((all, part) => `${all}${part}`, '');
    this.#answer = { status: response.statusCode ?? 0, json: JSON.parse(text) as object };
  }

  send(text: string): void {
    this.#request.write(text);
  }

  end(): void {
    this.#request.end();
  }

  disconnect(): void {
    this.#request.destroy();
  }

  get isAnswered(): boolean {
    return this.#answer !== undefined;
  }

  async answer(): Promise<{ status: number; json: object }> {
    await until(() => this.isAnswered);
    return this.#answer ?? expect.fail();
  }
}

onEachExpress('a body that a parser has not read to its end', (framework) => {
  /** The number of pieces that the parser has read. */
  let pieces: number;

  /** Adds a field for each line, and calls `next` at the first one. */
  const eager: RequestHandler = (req, _res, next) => {
    const body: Record<string, string> = {};
    req.body = body;
    req.on('data', (chunk: Buffer) => {
      const [name = '', value = ''] = chunk.toString().trim().split('=');
      body[name] = value;
      pieces += 1;
      if (pieces === 1) next();
    });
  };

  async function start(config: PaymentsConfig = {}, path = '/v1/guarded') {
    pieces = 0;
    const payments = await servePayments(framework, { before: [eager], ...config });
    const request = new SlowRequest(payments, path);
    request.send('amount=5\n');
    await until(() => pieces === 1);
    await settle();
    return { payments, request };
  }

  for (const path of ['/v1/guarded', '/v1/transactions']) {
    it(`is checked at its end on ${path}`, async () => {
      for (const [reference, status] of [
        [OWN, 200],
        [FOREIGN, 403],
      ] as const) {
        const { request } = await start({}, path);
        request.send(`refercence_cl=${reference}\n`);
        request.end();
        expect(await request.answer()).to.include({ status });
      }
    });
  }

  it('is read on while the store answers', async () => {
    const store = accountStore();
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const userStore = {
      findCredentials: () => Promise.resolve(null),
      findById: async (id: string) => {
        await answered;
        return store.findById(id);
      },
    };
    const { request } = await start({ guard: { userStore } });
    request.send(`refercence_cl=${FOREIGN}\n`);
    await until(() => pieces === 2);
    request.end();
    answer();
    expect(await request.answer()).to.include({ status: 403 });
  });

  it('cannot be seen when no data arrives for a second', async () => {
    const time = freezeTime();
    const { request } = await start();
    time.pass(0.999);
    request.send('currency=XOF\n');
    await until(() => pieces === 2);
    await settle();
    time.pass(0.999);
    await settle();
    expect(request.isAnswered).to.equal(false);
    time.pass(0.001);
    const { status, json } = await request.answer();
    expect({ ...json, status }).to.include({ status: 415, error: 'unreadable_body' });
    request.disconnect();
  });

  it('cannot be seen when nothing reads it on', async () => {
    const readPart: RequestHandler = (req, _res, next) => {
      req.once('readable', () => {
        req.body = { part: String(req.read()) };
        pieces += 1;
        next();
      });
    };
    const { request } = await start({ before: [readPart] });
    request.send(`refercence_cl=${FOREIGN}\n`);
    request.end();
    expect(await request.answer()).to.include({ status: 415 });
  });

  it('is invalid_body when the caller disconnects, and the request does not pass', async () => {
    const errors: unknown[] = [];
    const passed: unknown[] = [];
    const { request } = await start({
      guard: { respond: (error) => errors.push(error) },
      behind: [(req) => passed.push(req)],
    });
    request.disconnect();
    await until(() => errors.length > 0);
    expect(errors.map((error) => (error as AuthError).code)).to.deep.equal(['invalid_body']);
    expect(passed).to.deep.equal([]);
  });
});

onEachExpress('a body without a type', (framework) => {
  it('is not empty when a listener in front has read it', async () => {
    let hasArrived = false;
    const readAll: RequestHandler = (req, _res, next) => {
      req.on('readable', () => void req.read());
      hasArrived = true;
      next();
    };
    const request = new SlowRequest(await servePayments(framework, { before: [readAll] }), '/v1/guarded');
    await until(() => hasArrived);
    await settle();
    request.send(`refercence_cl=${FOREIGN}`);
    expect(await request.answer()).to.include({ status: 415 });
    request.end();
  });
});

onEachExpress('an upload whose parser calls next before the end', (framework) => {
  const formidableFields: RequestHandler = (req, _res, next) => {
    formidable().parse(req, (error, fields) => {
      req.body = Object.fromEntries(Object.entries(fields).map(([name, [value]]) => [name, value]));
      next(error);
    });
  };

  /** Sends a form, and returns the answer of a route behind the guard. */
  async function upload(form: FormData, config: PaymentsConfig) {
    const { client, awa } = await servePayments(framework, config);
    const response = await fetch(`http://127.0.0.1:${client.port}/v1/guarded`, {
      method: 'POST',
      headers: awa,
      body: form,
    });
    return { status: response.status, json: (await response.json()) as object };
  }

  it('is checked and goes on: formidable', async () => {
    for (const [reference, status] of [
      [OWN, 200],
      [FOREIGN, 403],
    ] as const) {
      const form = new FormData();
      form.set('scan', new Blob([FILE]), 'scan.txt');
      form.set('refercence_cl', reference);
      expect(await upload(form, { before: [formidableFields] })).to.include({ status });
    }
  });

  it('is checked and goes on, with its files: graphql-upload', async () => {
    const { default: graphqlUpload } = await import('graphql-upload/graphqlUploadExpress.mjs');
    const readFile: RequestHandler = (req, res, next) => {
      const read = async () => {
        const { variables } = req.body as { variables: { file: { promise: Promise<GraphqlFile> } } };
        const hash = createHash('sha256');
        await pipeline((await variables.file.promise).createReadStream(), hash);
        res.json({ digest: hash.digest('hex') });
      };
      read().catch(next);
    };
    for (const [reference, status] of [
      [OWN, 200],
      [FOREIGN, 403],
    ] as const) {
      const form = new FormData();
      form.set('operations', JSON.stringify({ query: '{a}', variables: { file: null, refercence_cl: reference } }));
      form.set('map', '{"0":["variables.file"]}');
      form.set('0', new Blob([FILE]), 'scan.txt');
      const answer = await upload(form, { before: [graphqlUpload()], behind: [readFile] });
      expect(answer.status, JSON.stringify(answer.json)).to.equal(status);
      if (status === 200) expect(answer.json).to.deep.equal({ digest: FILE_DIGEST });
    }
  });
});

onEachExpress('an announced body that is empty', (framework) => {
  const listener: RequestHandler = (req, _res, next) => {
    req.on('data', () => undefined);
    next();
  };
  const atEnd: RequestHandler = (req, res) => {
    req.on('end', () => res.json('ended')).resume();
  };
  const textBehind = ({ text }: typeof express4): RequestHandler[] => [
    text({ type: () => true }),
    (req, res) => void res.json({ text: req.body as unknown }),
  ];
  const behind: Readonly<Record<string, readonly RequestHandler[]>> = {
    'a handler that waits for the end': [atEnd],
    'a parser of body-parser 1': textBehind(express4),
    'a parser of body-parser 2': textBehind(express5),
  };

  for (const [title, handlers] of Object.entries(behind)) {
    for (const type of [undefined, 'application/json']) {
      for (const before of [[], [listener]]) {
        const where = before.length > 0 ? ', behind a data listener' : '';
        it(`is for ${title} as without the guard, with ${type ?? 'no type'}${where}`, async () => {
          for (const isLate of [false, true]) {
            let arrivals = 0;
            const note: RequestHandler = (_req, _res, next) => {
              arrivals += 1;
              next();
            };
            const answers: unknown[] = [];
            for (const isGuarded of [true, false]) {
              const payments = await servePayments(framework, {
                before: [note, ...before, ...(isGuarded ? [] : handlers)],
                // An empty JSON body counts as a body, so that the reference would be missing.
                behind: type === undefined ? [framework.auth.requireOwnReference(), ...handlers] : handlers,
              });
              const request = new SlowRequest(
                payments,
                `/v1/guarded?refercence_cl=${OWN}`,
                type === undefined ? {} : { 'Content-Type': type },
              );
              if (isLate) {
                const previous = arrivals;
                await until(() => arrivals > previous);
                await settle();
              }
              request.end();
              answers.push(await request.answer());
            }
            expect(answers[0]).to.deep.equal(answers[1]).and.to.include({ status: 200 });
          }
        });
      }
    }
  }
});
