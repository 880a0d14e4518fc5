import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Request, RequestHandler, Response } from 'express';
import fileUpload from 'express-fileupload';
import formidable from 'express-formidable';
import fc from 'fast-check';
import { accountStore, AWA } from '../helpers/accounts.js';
import {
  FOREIGN_REFERENCE,
  INVALID_BODY,
  INVALID_REFERENCE,
  MISSING_REFERENCE,
  UNREADABLE_BODY,
} from '../helpers/answers.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { bearer, serve } from '../helpers/http.js';
import { type Framework, onEveryExpress } from '../helpers/on-each-express.js';
import { createSender, type Outcome, outcomeOfReply, PROPERTY_TIMEOUT_MS, REQUESTS, SEED } from '../helpers/trials.js';
import { keepText, readText } from './keep-text.js';
import { HOST_NAMES, renamed } from './renamed.js';

const OWN = 'BTQ-1001';
const FOREIGN = 'CNT-1002';
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data; boundary=b';

/** `nested` is a key with brackets in a form. `ambiguous` is a key that only some parsers read as the name. */
type Key = 'plain' | 'nested' | 'repeated' | 'ambiguous' | 'broken' | 'none';

/** Makes a request with a reference in the place of `#`. */
const place = (type: string | undefined, key: Key, text: string, path = 'payments') => ({ type, key, text, path });
type Place = ReturnType<typeof place>;

const parts = (...fields: readonly string[]) =>
  `${fields.map((field) => `--b\r\nContent-Disposition: form-data; name="${field.replace('=', '"\r\n\r\n')}\r\n`).join('')}--b--\r\n`;

const PLACES: readonly Place[] = [
  place(JSON_TYPE, 'plain', '{"refercence_cl":"#"}'),
  place(JSON_TYPE, 'plain', '{"\\u0072efercence_cl":"#"}'),
  place(JSON_TYPE, 'plain', '{"refercence_cl":"BTQ-1001","payments":[{"refercence_cl":"#"}]}'),
  place(JSON_TYPE, 'plain', '{"refercence_cl":"BTQ-1001","a":{"__proto__":{"b":{"refercence_cl":"#"}}}}'),
  place(JSON_TYPE, 'repeated', '{"refercence_cl":["#"]}'),
  place(JSON_TYPE, 'ambiguous', '{"refercence_cl":"BTQ-1001","payment.refercence_cl":"#"}'),
  place(JSON_TYPE, 'ambiguous', '{"refercence_cl":"BTQ-1001","t.REFERCENCE_CL":"#"}'),
  place(JSON_TYPE, 'broken', '{"refercence_cl":"#"'),
  place(JSON_TYPE, 'none', '{"payment":"#"}'),
  place(FORM_TYPE, 'plain', '%72efercence_cl=#'),
  place(FORM_TYPE, 'nested', 'refercence_cl=BTQ-1001&payment[refercence_cl]=#'),
  place(FORM_TYPE, 'repeated', 'refercence_cl=BTQ-1001&refercence_cl=#'),
  place(FORM_TYPE, 'ambiguous', 'payment.refercence_cl=#'),
  place(FORM_TYPE, 'ambiguous', 'refercence+cl=#'),
  place(FORM_TYPE, 'ambiguous', 'refercence_cl=BTQ-1001&Refercence_cl=#'),
  place(FORM_TYPE, 'none', 'payment=#'),
  place(MULTIPART_TYPE, 'plain', parts('refercence_cl=#')),
  place(MULTIPART_TYPE, 'nested', parts('refercence_cl=BTQ-1001', 'payment[refercence_cl]=#')),
  place(MULTIPART_TYPE, 'repeated', parts('refercence_cl=BTQ-1001', 'refercence_cl=#')),
  place(MULTIPART_TYPE, 'ambiguous', parts('refercence_cl=BTQ-1001', 'refercence cl=#')),
  place('text/plain', 'plain', 'refercence_cl=#'),
  place(undefined, 'plain', 'refercence_cl=#'),
  place(undefined, 'plain', '', 'payments?refercence_cl=#'),
  place(undefined, 'plain', '', 'payments?refercence_cl=BTQ-1001&a=1;refercence_cl=#'),
  place(undefined, 'plain', '', 'merchants/#'),
];

// ---- parsers --------------------------------------------------------------------------------------------------------

/** What `req.body` shows of a body. Parsers of forms make members of a key with brackets (`nested`) or not (`flat`). */
type View = 'unread' | 'unseen' | 'json' | 'nested' | 'flat' | 'nothing' | 'parser failed';

interface Parser {
  /** Returns `unread` for a body that the parser skips. */
  readonly viewOf: (sent: Place, isCompressed: boolean) => View;
  readonly create: (express: Framework['express']) => RequestHandler;
}

const preset: RequestHandler = (req, _res, next) => {
  req.body ??= {};
  next();
};
/** Goes on once: when a parser fails or skips a body, and otherwise at the end of the body, which it may not wait for. */
const leniently = (parser: RequestHandler, after: (req: Request) => void = () => undefined): RequestHandler => {
  return (req, res, next) => {
    let proceed = (): void => next();
    void parser(req, res, (error?: unknown) => {
      after(req);
      if (error || !req.readableDidRead || req.readableEnded) proceed();
      else req.once('end', proceed);
      proceed = () => undefined;
    });
  };
};

const asText = ({ type }: Place): View => (type === JSON_TYPE ? 'json' : 'unseen');
const PARSERS = {
  json: {
    create: (express) => express.json(),
    viewOf: ({ type, key }) => (type !== JSON_TYPE ? 'unread' : key === 'broken' ? 'parser failed' : 'json'),
  },
  urlencoded: {
    create: (express) => express.urlencoded({ extended: true }),
    viewOf: ({ type }) => (type === FORM_TYPE ? 'nested' : 'unread'),
  },
  text: { create: (express) => express.text({ type: () => true }), viewOf: asText },
  raw: { create: (express) => express.raw({ type: () => true }), viewOf: asText },
  fileupload: {
    create: () => leniently(fileUpload({ parseNested: true })),
    viewOf: ({ type }, isCompressed) => (type !== MULTIPART_TYPE ? 'unread' : isCompressed ? 'unseen' : 'nested'),
  },
  formidable: { create: () => leniently(formidable()), viewOf: () => 'unseen' },
  'formidable into req.body': {
    create: () => leniently(formidable(), (req) => (req.body = Reflect.get(req, 'fields') as unknown)),
    viewOf: ({ type, key }, isCompressed) => {
      // This parser reads compressed bytes as a form.
      if (isCompressed) return type === FORM_TYPE ? 'nothing' : 'unseen';
      if (type === JSON_TYPE) return key === 'broken' ? 'unseen' : 'json';
      return type === FORM_TYPE || type === MULTIPART_TYPE ? 'flat' : 'unseen';
    },
  },
  'raw reader': { create: () => readText, viewOf: () => 'unseen' },
  'data listener': { create: () => keepText, viewOf: () => 'unread' },
  'preset {}': { create: () => preset, viewOf: () => 'unread' },
} satisfies Record<string, Parser>;

// ---- the right answer -----------------------------------------------------------------------------------------------

type Name = keyof typeof PARSERS;
const parserOf = (name: Name): Parser => PARSERS[name];
const names = fc.constantFrom(...(Object.keys(PARSERS) as Name[]));
const combinations = fc.record({
  front: fc.array(names, { maxLength: 2 }),
  /** Between the guard and `requireOwnReference`. */
  behind: fc.array(names, { maxLength: 1 }),
  reference: fc.constantFrom('own', 'unchecked', 'reported'),
  hasOwnReference: fc.boolean(),
  /** A guard with names of the host looks for another name than `refercence_cl`. */
  name: fc.constantFrom(undefined, undefined, ...HOST_NAMES),
  sent: fc.constantFrom(...PLACES),
  value: fc.constantFrom(OWN, FOREIGN),
  isChunked: fc.boolean(),
  isCompressed: fc.boolean(),
});
type Combination = typeof combinations extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns the answer of a check that sees the body in this way. */
function answerOf(view: View, { sent: { key, text }, value }: Combination): Outcome {
  const checked = value === OWN ? '200' : `403 ${FOREIGN_REFERENCE}`;
  if (text === '') return checked;
  if (view === 'parser failed' || (view === 'json' && key === 'broken')) return `400 ${INVALID_BODY}`;
  if (view === 'unread' || view === 'unseen') return `415 ${UNREADABLE_BODY}`;
  if (view === 'nothing' || key === 'none') return '200';
  return key === 'plain' || (key === 'nested' && view === 'nested') ? checked : `400 ${INVALID_REFERENCE}`;
}

function expectedOf(combination: Combination): { readonly outcome: Outcome; readonly view: View } {
  const { front, behind, reference, hasOwnReference, sent, isCompressed } = combination;
  const parse = (before: View, parsers: readonly Name[]) =>
    parsers.reduce((view, name) => (view === 'unread' ? parserOf(name).viewOf(sent, isCompressed) : view), before);
  const check = (view: View) => (view === 'unread' && sent.type === JSON_TYPE ? 'json' : view);
  const views: View[] = [];
  let view = parse('unread', front);
  if (reference !== 'unchecked') views.push((view = check(view)));
  view = parse(view, behind);
  if (hasOwnReference || view === 'parser failed') views.push((view = check(view)));
  const outcomes = views.map((seen) => answerOf(seen, combination));
  const isInQuery = sent.path.includes('?');
  if (hasOwnReference && (sent.key === 'none' || view === 'nothing' || isInQuery))
    outcomes.push(`400 ${MISSING_REFERENCE}`);
  const isEnforced = (outcome: Outcome) =>
    reference === 'reported' ? outcome === `400 ${INVALID_BODY}` : outcome !== '200';
  return { outcome: outcomes.find(isEnforced) ?? '200', view };
}

onEveryExpress('any parsers around the guard', ({ auth, express }) => {
  it('leave one right answer, and show no handler a foreign reference that is not reported', async function () {
    this.timeout(PROPERTY_TIMEOUT_MS);
    collectWarnings();
    const token = bearer(auth.createTokens().issue(AWA)).Authorization;
    const userStore = accountStore();
    let app = express();
    const send = createSender(
      (await serve((req: IncomingMessage, res: ServerResponse) => void app(req as Request, res as Response))).port,
    );
    const met = new Set<Outcome>();
    // Behind a parser that has begun to read, other parsers answer 500 or wait for ever.
    const parser = (name: Name): RequestHandler => {
      const parse = parserOf(name).create(express);
      return (req, res, next) => (req.readable && !req.readableDidRead ? parse(req, res, next) : next());
    };

    const property = fc.asyncProperty(combinations, async (combination) => {
      const { front, behind, reference, hasOwnReference, name, sent, value, isChunked, isCompressed } = combination;
      const referenceNames = name === undefined ? undefined : HOST_NAMES;
      let seen: string | undefined;
      app = express();
      for (const name of front) app.use(parser(name));
      // Only middleware on the route itself sees a path parameter.
      for (const route of ['/payments', `/merchants/:${name ?? 'refercence_cl'}`]) {
        app.post(
          route,
          auth.requireBearer({ userStore, reference, ...(referenceNames && { referenceNames }) }),
          ...behind.map(parser),
          hasOwnReference ? auth.requireOwnReference() : [],
          (req: Request, res: Response) => {
            const { params, originalUrl, query, body, fields, text } = req as unknown as Record<string, unknown>;
            const shown = Buffer.isBuffer(body) ? body.toString() : body;
            seen = inspect([params, originalUrl, query, shown, fields, text], { depth: Infinity });
            res.json({});
          },
        );
      }
      app.use(auth.authErrorHandler());

      const { type, key, text, path } = sent;
      const bytes = Buffer.from(renamed(text, name).replace('#', value));
      const typed: [string, string][] = type === undefined ? [] : [['Content-Type', type]];
      const encoded: [string, string][] = isCompressed && text !== '' ? [['Content-Encoding', 'gzip']] : [];
      const reply = await send({
        method: 'POST',
        path: `/${renamed(path, name).replace('#', value)}`,
        headers: [['Authorization', token], ...typed, ...encoded],
        body: text === '' ? undefined : encoded.length > 0 ? gzipSync(bytes) : bytes,
        isChunked,
      });

      const { outcome, view } = expectedOf(combination);
      expect(outcomeOfReply(reply, [FOREIGN], referenceNames)).to.equal(outcome);
      met.add(outcome);
      expect(seen !== undefined).to.equal(outcome === '200');
      const isEnforced = reference === 'own' || (reference === 'unchecked' && hasOwnReference);
      if (seen === undefined || value === OWN || key === 'none') return;
      if (isEnforced) expect(seen).not.to.include(FOREIGN);
      else if (!['unread', 'unseen', 'nothing'].includes(view)) expect(seen).to.include(FOREIGN);
    });
    await fc.assert(property, { seed: SEED, numRuns: REQUESTS });
    expect(met).to.have.property('size', 6);
  });
});
