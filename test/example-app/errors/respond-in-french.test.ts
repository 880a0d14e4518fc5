import type { IncomingMessage } from 'node:http';
import {
  AuthError,
  type AuthErrorBody,
  type AuthErrorCode,
  authErrorHandler,
  createLoginRouter,
  createTokens,
  InMemoryUserStore,
  requireBearer,
  requireOwnReference,
  type Respond,
} from 'express-merchant-auth';
import { expect } from 'chai';
import request from 'supertest';
import express, { type Express } from 'express';
import { respondInFrench } from '../../../example-app/src/errors/respond-in-french.js';
import { bearerToken } from '../../../src/guard/authorization.js';
import { invalidBody, tooLarge } from '../../../src/body/parser-failures.js';
import { catalogue, entryOf } from '../../../src/errors/catalogue.js';
import { checkTexts } from '../../../src/login/check-arguments.js';
import { HIDDEN_QUERY } from '../../../src/ownership/check-own-references.js';
import { AWA } from '../../helpers/accounts.js';
import { INVALID_BODY, SOURCE_NOT_ALLOWED, UNREADABLE_BODY } from '../../helpers/answers.js';
import { bearer } from '../../helpers/http.js';
import { thrownBy } from '../../helpers/thrown.js';

const MALFORMED = { headers: { authorization: 'Bearer x' }, rawHeaders: [] as string[] } as IncomingMessage;

const refusedBy = (call: () => unknown) => thrownBy(call) as AuthError;

const FAILURES = [
  'entity.parse.failed',
  'entity.not.utf8',
  'entity.too.large',
  'request.timeout',
  'charset.unsupported',
  'encoding.unsupported',
  'encoding.corrupt',
  undefined,
];

/** Refusals whose description is not that of the catalogue. */
const SPECIAL: readonly AuthError[] = [
  ...FAILURES.map((type) => invalidBody(type)),
  ...[10, 102_400, 1_048_576].map(
    (limit) => new AuthError(INVALID_BODY, { status: 413, description: tooLarge(limit) }),
  ),
  refusedBy(() => checkTexts({ identifier: '', password: 'x' })),
  refusedBy(() => checkTexts({ identifier: 'x', password: '' })),
  new AuthError(UNREADABLE_BODY, { description: invalidBody('charset.unsupported').description }),
  new AuthError(UNREADABLE_BODY, HIDDEN_QUERY),
  refusedBy(() => bearerToken(MALFORMED, 'merchant')),
  new AuthError(SOURCE_NOT_ALLOWED, { address: '203.0.113.66' }),
];

const JSON_TYPE = 'application/json';

/** Provokes the refusals of login bodies, and that of a misspelled reference. */
async function provoke(): Promise<readonly AuthError[]> {
  const refusals: AuthError[] = [];
  const respond: Respond = (error, _req, res) => {
    refusals.push(error);
    res.end();
  };
  const login = createLoginRouter(new InMemoryUserStore(), { respond });
  const app = express().use(login, requireBearer({ respond }), requireOwnReference());
  for (const [type, body] of [
    ['text/plain', '{}'],
    [JSON_TYPE, '[]'],
    [JSON_TYPE, '{}'],
    [JSON_TYPE, '{"email":1,"password":null}'],
    [JSON_TYPE, '{"email":"a@b","password":"12345"}'],
    [JSON_TYPE, JSON.stringify({ email: '@'.repeat(256), password: 'a'.repeat(256) })],
    [JSON_TYPE, '{"email":"abcde","password":"\\ud800aaaaa"}'],
  ] as const) {
    await request(app).post('/login').type(type).send(body);
  }
  await request(app)
    .post('/')
    .set(bearer(createTokens().issue(AWA)))
    .send({ reference_cl: 'BTQ-1001' });
  expect(refusals).to.have.length(8);
  return refusals;
}

function refusalsOf(code: AuthErrorCode, provoked: readonly AuthError[]): readonly AuthError[] {
  const seconds = entryOf(code).retryAfterSeconds && { retryAfterSeconds: 5 };
  return [
    new AuthError(code, seconds),
    ...(code.endsWith('_reference') ? [new AuthError(code, { referenceNames: ['merchant_id'] })] : []),
    ...[...provoked, ...SPECIAL].filter((one) => one.code === code),
  ];
}

function expectFrench(french: string, english: string): void {
  for (const kept of [/\w+_\w+/g, /\w+\.referencl/g, /[\w-]+: [\w/]+( <\w+>)?(?=\.)/g, /\d[\d.]*\b/g]) {
    const namesIn = (text: string) => new Set(text.match(kept));
    expect(namesIn(french)).to.deep.equal(namesIn(english));
  }
  const prose = french.replace(/(Authorization|Content-Type): /g, '');
  expect(prose).not.to.match(/[^\u00a0][:;?!]|['{}]/);
  expect(french).not.to.equal(english);
}

describe('example-app: respondInFrench', () => {
  let app: Express;
  let refusal: AuthError;
  let provoked: readonly AuthError[];

  before(async () => {
    provoked = await provoke();
  });

  beforeEach('serve the same refusal in both languages', () => {
    app = express().disable('etag');
    app.use((_req, _res, next) => next(refusal));
    app.use('/en', authErrorHandler({ log: () => undefined }));
    app.use('/fr', authErrorHandler({ log: () => undefined, respond: respondInFrench }));
  });

  for (const code of Object.keys(catalogue) as AuthErrorCode[]) {
    it(`answers ${code} as in English, except for its texts`, async () => {
      const descriptions = new Map<string, string>();
      for (refusal of refusalsOf(code, provoked)) {
        const [english, french] = [await request(app).get('/en'), await request(app).get('/fr')];
        const [en, fr] = [english.body as AuthErrorBody, french.body as AuthErrorBody];
        expect(french.status).to.equal(english.status);
        const { date, 'content-length': length } = english.headers;
        expect({ ...french.headers, date, 'content-length': length }).to.deep.equal(english.headers);
        const { message, description, errors = [] } = en;
        const inEnglish = { message, description, ...(fr.errors && { errors }) };
        expect(JSON.stringify({ ...fr, ...inEnglish })).to.equal(english.text);
        expectFrench(fr.message, message);
        expectFrench(fr.description, description);
        for (const [index, { message: rule, ...broken }] of (fr.errors ?? []).entries()) {
          expect(errors[index]).to.deep.include(broken);
          expectFrench(rule, errors[index]?.message ?? '');
        }
        descriptions.set(description, fr.description);
      }
      // Each English description has a different French one, even if a code has several.
      expect(new Set(descriptions.values())).to.have.property('size', descriptions.size);
    });
  }
});
