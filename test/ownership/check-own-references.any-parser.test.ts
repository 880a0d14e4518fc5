import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { Request, RequestHandler, Response } from 'express';
import fileUpload from 'express-fileupload';
import formidable from 'express-formidable';
import fc from 'fast-check';
import type { AuthErrorCode } from '../../src/index.js';
import { accountStore, AWA } from '../helpers/accounts.js';
import {
  answerOf,
  expectError,
  FOREIGN_REFERENCE,
  INVALID_REFERENCE,
  MISSING_REFERENCE,
  UNREADABLE_BODY,
} from '../helpers/answers.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { bearer, serve } from '../helpers/http.js';
import { onEveryExpress } from '../helpers/on-each-express.js';
import { PROPERTY_TIMEOUT_MS, REQUESTS, SEED } from '../helpers/trials.js';

const OWN = 'BTQ-1001';
const FOREIGN = 'CNT-1002';

type Fields = Record<string, string>;

const FIELDS: Readonly<Record<string, (value: string) => Fields>> = {
  plain: (value) => ({ refercence_cl: value }),
  nested: (value) => ({ refercence_cl: OWN, 'payment[refercence_cl]': value }),
  ambiguous: (value) => ({ refercence_cl: OWN, 'Refercence cl': value }),
  none: (value) => ({ payment: value }),
};
const partOf = ([name, value]: [string, string]) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const FORMATS: Readonly<Record<string, (fields: Fields) => string>> = {
  'application/json': (fields) => JSON.stringify(fields),
  'application/x-www-form-urlencoded': (fields) => String(new URLSearchParams(fields)),
  'multipart/form-data; boundary=b': (fields) => `${Object.entries(fields).map(partOf).join('')}--b--`,
};

/** The members of `req.body`: none, one for each key, or one for each bracket in a key too. */
type View = 'unseen' | 'flat' | 'nested';

/** Waits for the end of the body, and moves the fields of formidable into `req.body`. */
function toTheEnd(parser: RequestHandler): RequestHandler {
  return (req, res, next) =>
    parser(req, res, (error?: unknown) => {
      req.body ??= Reflect.get(req, 'fields');
      if (error || !req.readableDidRead || req.readableEnded) next(error);
      else req.once('end', () => next());
    });
}

onEveryExpress('the parsers that hosts mount', ({ auth, express }) => {
  /** Each with the views of the formats. The guard reads JSON that a parser skips. */
  const PARSERS: Readonly<Record<string, readonly [RequestHandler, ...View[]]>> = {
    'express.text': [express.text({ type: () => true }), 'flat', 'unseen', 'unseen'],
    'express.urlencoded': [express.urlencoded({ extended: true }), 'flat', 'nested', 'unseen'],
    'express-fileupload': [toTheEnd(fileUpload({ parseNested: true })), 'flat', 'unseen', 'nested'],
    'express-formidable': [toTheEnd(formidable()), 'flat', 'flat', 'flat'],
  };

  it('leave one right answer, in front of the guard or in front of requireOwnReference', async function () {
    this.timeout(PROPERTY_TIMEOUT_MS);
    collectWarnings();
    const authorization = bearer(auth.createTokens().issue(AWA));
    const userStore = accountStore();
    let app = express();
    const client = await serve(
      (req: IncomingMessage, res: ServerResponse) => void app(req as Request, res as Response),
    );
    const met = new Set<AuthErrorCode | undefined>();
    const cases = fc.record({
      parser: fc.constantFrom(...Object.entries(PARSERS)),
      isInFront: fc.boolean(),
      fields: fc.constantFrom(...Object.entries(FIELDS)),
      format: fc.constantFrom(...Object.entries(FORMATS)),
      value: fc.constantFrom(OWN, FOREIGN),
      chunked: fc.boolean(),
    });
    const property = fc.asyncProperty(cases, async ({ parser, isInFront, fields, format, value, chunked }) => {
      const [, [handler, ...views]] = parser;
      const [key, fieldsWith] = fields;
      const [type, write] = format;
      const guard = auth.requireBearer({ userStore, reference: isInFront ? 'own' : 'unchecked' });
      app = express();
      app.use(...(isInFront ? [handler, guard] : [guard, handler]));
      app.post('/', auth.requireOwnReference(), (_req, res) => void res.json({}));
      app.use(auth.authErrorHandler());
      const headers = { ...authorization, 'Content-Type': type };
      const answer = await client.send('POST', '/', { headers, body: write(fieldsWith(value)), chunked });

      const view = views[Object.keys(FORMATS).indexOf(type)];
      const isReference = key === 'plain' || (key === 'nested' && view === 'nested');
      const checked = value === OWN ? undefined : FOREIGN_REFERENCE;
      let code: AuthErrorCode | undefined = isReference ? checked : INVALID_REFERENCE;
      if (key === 'none') code = MISSING_REFERENCE;
      if (view === 'unseen') code = UNREADABLE_BODY;
      if (code === undefined) expect(answer.text).to.equal('{}');
      else expectError(answer, answerOf(code).expected);
      met.add(code);
    });
    await fc.assert(property, { seed: SEED, numRuns: REQUESTS });
    expect(met).to.have.property('size', 5);
  });
});
