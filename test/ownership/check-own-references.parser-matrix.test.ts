import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Request, RequestHandler, Response } from 'express';
import fileUpload from 'express-fileupload';
import formidable from 'express-formidable';
import { accountStore, AWA } from '../helpers/accounts.js';
import { bearer, serve } from '../helpers/http.js';
import { type Framework, onEveryExpress } from '../helpers/on-each-express.js';
import { createSender, outcomeOf, type Reply, type Request as Sent } from '../helpers/trials.js';

const OWN = 'BTQ-1001';
const FOREIGN = 'CNT-1002';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data; boundary=b';

const isFull = process.env['FULL'] === '1';
const TIMEOUT_MS = isFull ? 900_000 : 120_000;
/** Without `FULL=1`, one combination in so many runs. It has no divisor in common with the size of a dimension. */
const STEP = isFull ? 1 : 619;

// ---- parsers --------------------------------------------------------------------------------------------------------

const PARSERS = [
  'json',
  'urlencoded',
  'text',
  'raw',
  'fileupload',
  'formidable',
  'formidable into req.body',
  'raw reader',
  'data listener',
  'preset {}',
] as const;
type Parser = (typeof PARSERS)[number];

/** Reads the stream and leaves the bytes only in `req.rawBody`. */
const rawReader: RequestHandler = (req, _res, next) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    Reflect.set(req, 'rawBody', Buffer.concat(chunks));
    next();
  });
};

/** Keeps the bytes that others read from the stream. */
const dataListener: RequestHandler = (req, _res, next) => {
  let text = '';
  req.on('data', (chunk: Buffer) => Reflect.set(req, 'text', (text += chunk.toString('latin1'))));
  next();
};

const preset: RequestHandler = (req, _res, next) => {
  req.body ??= {};
  next();
};

const copyFields: RequestHandler = (req, _res, next) => {
  req.body = Reflect.get(req, 'fields') as unknown;
  next();
};

/** Skips a parser when the stream has ended. Parsers answer 500 then, or wait for ever. */
function unlessEnded(parser: RequestHandler): RequestHandler {
  return (req, res, next) => {
    if (req.readable) void parser(req, res, next);
    else next();
  };
}

/** Goes on when a parser fails. */
function leniently(parser: RequestHandler): RequestHandler {
  return (req, res, next) => {
    let isPassed = false;
    void parser(req, res, () => {
      if (!isPassed) next();
      isPassed = true;
    });
  };
}

function parsersOf({ express }: Framework): Readonly<Record<Parser, readonly RequestHandler[]>> {
  const formidableOrNot = unlessEnded(leniently(formidable()));
  return {
    json: [unlessEnded(express.json())],
    urlencoded: [unlessEnded(express.urlencoded({ extended: true }))],
    text: [unlessEnded(express.text({ type: () => true }))],
    raw: [unlessEnded(express.raw({ type: () => true }))],
    fileupload: [unlessEnded(leniently(fileUpload({ parseNested: true })))],
    formidable: [formidableOrNot],
    'formidable into req.body': [formidableOrNot, copyFields],
    'raw reader': [unlessEnded(rawReader)],
    'data listener': [dataListener],
    'preset {}': [preset],
  };
}

/** Parsers that can skip a body. Each is also tried before another parser. */
const SKIPPING: readonly Parser[] = ['json', 'urlencoded', 'data listener', 'preset {}'];
const IN_FRONT: readonly (readonly Parser[])[] = [
  [],
  ...PARSERS.map((parser) => [parser]),
  ...SKIPPING.flatMap((first) => PARSERS.filter((second) => second !== first).map((second) => [first, second])),
];
const BEHIND: readonly (readonly Parser[])[] = [[], ...PARSERS.map((parser) => [parser])];

// ---- guards ---------------------------------------------------------------------------------------------------------

/** The middleware that checks the reference: the guard alone, both, or `requireOwnReference` behind the parsers. */
type Guard = 'guard' | 'guard and own reference' | 'own reference';
const GUARDS: readonly Guard[] = ['guard', 'guard and own reference', 'own reference'];

// ---- bodies ---------------------------------------------------------------------------------------------------------

/** A body, or a path, with a reference in one place. */
interface Place {
  readonly name: string;
  readonly path?: (reference: string) => string;
  readonly text?: (reference: string) => string;
}

interface Encoding {
  readonly type: string | undefined;
  readonly places: readonly [Place, ...Place[]];
}

function multipart(...fields: readonly (readonly [string, string])[]): string {
  const parts = fields.map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--b--\r\n`;
}

const json = (name: string): Place => ({ name, text: (reference) => name.replace('#', reference) });

const ENCODINGS: readonly Encoding[] = [
  {
    type: 'application/json',
    places: [
      json('{"refercence_cl":"#"}'),
      json('{"refercence_cl":"BTQ-1001","payments":[{"refercence_cl":"#"}]}'),
      json('[{"refercence_cl":"BTQ-1001"},{"refercence_cl":"#"}]'),
      json('{"refercence_cl":"BTQ-1001","a":{"__proto__":{"b":{"refercence_cl":"#"}}}}'),
      json('{"\\u0072efercence_cl":"#"}'),
      json('{"refercence_cl":"BTQ-1001","payment.refercence_cl":"#"}'),
      json('{"refercence_cl":["#"]}'),
    ],
  },
  {
    type: FORM_TYPE,
    places: [
      { name: 'refercence_cl', text: (reference) => `refercence_cl=${reference}` },
      ...[
        '%72efercence_cl',
        'refercence_cl=BTQ-1001&payment[refercence_cl]',
        'refercence_cl=BTQ-1001&a=1&a[refercence_cl]',
        'refercence_cl=BTQ-1001&refercence_cl',
        'refercence_cl=BTQ-1001&refercence_cl[]',
        '[refercence_cl]',
        'payment.refercence_cl',
        'refercence+cl',
        `${'&'.repeat(999)}refercence_cl`,
      ].map((name): Place => ({ name: name.slice(-50), text: (reference) => `${name}=${reference}` })),
    ],
  },
  {
    type: MULTIPART_TYPE,
    places: [
      { name: 'refercence_cl', text: (reference) => multipart(['refercence_cl', reference]) },
      ...[
        ['payment[0]', 'payment[refercence_cl]'],
        ['payment.refercence_cl'],
        ['refercence_cl[]'],
        ['refercence_cl'],
        ['refercence cl'],
      ].map((names): Place => ({
        name: names.join(', '),
        text: (reference) => multipart(['refercence_cl', OWN], ...names.map((name) => [name, reference] as const)),
      })),
    ],
  },
  {
    type: 'text/plain',
    places: [
      { name: 'a form', text: (reference) => `refercence_cl=${reference}` },
      { name: 'JSON', text: (reference) => JSON.stringify({ refercence_cl: reference }) },
    ],
  },
  {
    type: undefined,
    places: [
      { name: 'a form', text: (reference) => `refercence_cl=${reference}` },
      { name: 'JSON', text: (reference) => JSON.stringify({ refercence_cl: reference }) },
      { name: 'the query', path: (reference) => `payments?refercence_cl=${reference}` },
      { name: 'the end of the query', path: (reference) => `payments?${'&'.repeat(1_000)}refercence_cl=${reference}` },
      { name: 'a nested member of the query', path: (reference) => `payments?a[refercence_cl]=${reference}` },
      { name: 'the path', path: (reference) => `merchants/${reference}` },
    ],
  },
];

const FRAMINGS = ['length', 'chunked', 'gzip', 'chunked gzip'] as const;
type Framing = (typeof FRAMINGS)[number];

// ---- combinations ---------------------------------------------------------------------------------------------------

interface Combination {
  readonly front: readonly Parser[];
  readonly behind: readonly Parser[];
  readonly guard: Guard;
  readonly encoding: Encoding;
  readonly framing: Framing;
}

const COMBINATIONS: readonly Combination[] = IN_FRONT.flatMap((front) =>
  BEHIND.flatMap((behind) =>
    GUARDS.flatMap((guard) =>
      ENCODINGS.flatMap((encoding) =>
        FRAMINGS.map((framing): Combination => ({ front, behind, guard, encoding, framing })),
      ),
    ),
  ),
);

/** The statuses of a request with a foreign reference. The parser of forms answers 413 to more than 1,000 members. */
const REFUSED = ['400', '403', '413', '415'];
/** The statuses of a request with the own reference. It can be ambiguous or invisible, and is then refused. */
const PASSED = ['200', '400', '413', '415'];

/** Returns the status of an answer in the JSON layout. */
function statusOf(reply: Reply): string {
  return outcomeOf(reply, [FOREIGN]).slice(0, 3);
}

function titleOf({ front, behind, guard, encoding, framing }: Combination, place: Place): string {
  const parsers = `${front.join(', ')} | ${guard} | ${behind.join(', ')}`;
  return `${parsers}; ${encoding.type ?? 'no type'}, ${framing}: ${place.name}`;
}

function decompress(bytes: Buffer): Buffer {
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

/**
 * Returns true if a parser can lose the reference, so that the request passes without it. The parser
 * express-fileupload drops a field whose name continues a text field. The parser formidable reads compressed bytes as a
 * form.
 */
function canLoseReference({ front, behind, encoding, framing }: Combination): boolean {
  const parsers = [...front, ...behind];
  if (encoding.type === MULTIPART_TYPE && parsers.includes('fileupload')) return true;
  return encoding.type === FORM_TYPE && framing.endsWith('gzip') && parsers.includes('formidable into req.body');
}

/** Returns everything that a handler can read from a request, as text. */
function visibleIn(req: Request): string {
  const seen = req as unknown as Readonly<Record<string, unknown>>;
  const { searchParams, pathname } = new URL(req.originalUrl, 'http://localhost');
  const members = ['params', 'query', 'body', 'fields', 'files', 'rawBody', 'text'].map((name) => {
    const member = name === 'text' ? Buffer.from((seen[name] as string | undefined) ?? '', 'latin1') : seen[name];
    return Buffer.isBuffer(member) ? decompress(member).toString('latin1') : member;
  });
  return inspect([...members, ...searchParams, pathname], {
    depth: Infinity,
    maxArrayLength: Infinity,
    maxStringLength: Infinity,
    getters: true,
  });
}

onEveryExpress('any parsers around the guard', (framework) => {
  const { auth, express } = framework;
  const store = accountStore();
  const parsers = parsersOf(framework);
  const { Authorization } = bearer(auth.createTokens().issue(AWA));
  /** The combination that the server serves, and what its handler saw. */
  let app: ReturnType<typeof express>;
  let seen: string[];
  let send: (sent: Sent) => Promise<Reply>;

  beforeEach(async () => {
    const { port } = await serve(
      (req: IncomingMessage, res: ServerResponse) => void app(req as Request, res as Response),
    );
    send = createSender(port);
  });

  function host({ front, behind, guard }: Pick<Combination, 'front' | 'behind'> & { readonly guard: Guard | 'none' }) {
    app = express();
    const isChecked = guard === 'guard' || guard === 'guard and own reference';
    const before = front.flatMap((parser) => parsers[parser]);
    const after: RequestHandler[] = behind.flatMap((parser) => parsers[parser]);
    const own: RequestHandler[] = guard === 'guard' || guard === 'none' ? [] : [auth.requireOwnReference()];
    const handler: RequestHandler = (req, res) => {
      seen.push(visibleIn(req));
      res.json({});
    };
    const bearerGuard = auth.requireBearer({ userStore: store, reference: isChecked ? 'own' : 'unchecked' });
    if (before.length > 0) app.use(before);
    // The guard sees a path parameter only on the route itself.
    app.all('/v1/merchants/:refercence_cl', bearerGuard, ...after, ...own, handler);
    app.all('/v1/payments', bearerGuard, ...after, ...own, handler);
    app.use(auth.authErrorHandler());
  }

  /** Sends a reference, and returns the status and the texts that handlers saw. */
  async function ask(
    { encoding, framing }: Pick<Combination, 'encoding' | 'framing'>,
    place: Place,
    reference: string,
  ) {
    const text = place.text?.(reference);
    const isCompressed = framing.endsWith('gzip') && text !== undefined;
    const headers: [string, string][] = [['Authorization', Authorization]];
    if (encoding.type !== undefined) headers.push(['Content-Type', encoding.type]);
    if (isCompressed) headers.push(['Content-Encoding', 'gzip']);
    const body = text === undefined ? undefined : Buffer.from(text);
    seen = [];
    const reply = await send({
      method: 'POST',
      path: `/v1/${place.path?.(reference) ?? 'payments'}`,
      headers,
      body: isCompressed ? gzipSync(body ?? '') : body,
      isChunked: framing.startsWith('chunked'),
    });
    return { reply, seen };
  }

  it('do not show a foreign reference to a handler, wherever the request has it', async function () {
    this.timeout(TIMEOUT_MS);
    let passed = 0;
    for (const combination of COMBINATIONS.filter((_, index) => index % STEP === 0)) {
      const canLose = canLoseReference(combination);
      // The listener then has other text than the guard and the handler.
      if (canLose && [...combination.front, ...combination.behind].includes('data listener')) continue;
      host(combination);
      for (const place of combination.encoding.places) {
        const title = titleOf(combination, place);
        try {
          const foreign = await ask(combination, place, FOREIGN);
          expect(foreign.seen.join()).not.to.include(FOREIGN);
          const allowed = canLose ? ['200', ...REFUSED] : REFUSED;
          expect(statusOf(foreign.reply)).to.be.oneOf(allowed);
          if (place !== combination.encoding.places[0]) continue;
          const own = await ask(combination, place, OWN);
          expect(statusOf(own.reply)).to.be.oneOf(PASSED);
          passed += own.seen.length;
        } catch (error) {
          throw new Error(title, { cause: error });
        }
      }
    }
    expect(passed).to.be.greaterThan(isFull ? 1_000 : 0);
  });

  it('show it when nothing checks it, so that the test above can fail', async () => {
    const readable: Readonly<Record<string, readonly Parser[]>> = {
      'application/json': ['json', 'text', 'raw', 'formidable', 'formidable into req.body', 'raw reader'],
      [FORM_TYPE]: ['urlencoded', 'text', 'raw', 'formidable', 'formidable into req.body', 'raw reader'],
      [MULTIPART_TYPE]: ['fileupload', 'text', 'raw', 'formidable', 'formidable into req.body', 'raw reader'],
      'text/plain': ['text', 'raw', 'raw reader'],
      '': ['raw reader'],
    };
    for (const encoding of ENCODINGS) {
      for (const parser of readable[encoding.type ?? ''] ?? []) {
        for (const [front, behind] of [[[parser], []] as const, [[], [parser]] as const]) {
          host({ front, behind, guard: 'none' });
          const [place] = encoding.places;
          const answer = await ask({ encoding, framing: 'chunked' }, place, FOREIGN);
          expect(answer.seen.join(), `${parser}: ${encoding.type ?? 'no type'}`).to.include(FOREIGN);
        }
      }
    }
  });
});
