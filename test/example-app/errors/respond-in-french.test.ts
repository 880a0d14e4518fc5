import type { IncomingMessage } from 'node:http';
import { AuthError, type AuthErrorBody, type AuthErrorCode, authErrorHandler } from 'express-merchant-auth';
import { expect } from 'chai';
import request from 'supertest';
import express, { type Express } from 'express';
import { respondInFrench } from '../../../example-app/src/errors/respond-in-french.js';
import { bearerToken } from '../../../src/guard/authorization.js';
import { invalidBody, tooLarge } from '../../../src/body/parser-failures.js';
import { catalogue, entryOf } from '../../../src/errors/catalogue.js';
import { checkTexts } from '../../../src/login/check-arguments.js';
import { HIDDEN_QUERY } from '../../../src/ownership/check-own-references.js';
import { INVALID_BODY, INVALID_TOKEN, UNREADABLE_BODY } from '../../helpers/answers.js';
import { readPage } from '../../helpers/snippets.js';
import { thrownBy } from '../../helpers/thrown.js';
import type { Snapshot } from '../../spec/snapshot.js';

const { version } = JSON.parse(readPage('package.json')) as { version: string };
/** Has every answer of the package over HTTP. */
const { answers } = JSON.parse(readPage(`test/spec/responses/${version}.json`)) as Snapshot;
const bodies = Object.values(answers).map(({ body }) => body as unknown as AuthErrorBody);

const MALFORMED = { headers: { authorization: 'Bearer x' }, rawHeaders: [] as string[] } as IncomingMessage;

const refusedBy = (call: () => unknown) => (thrownBy(call) as AuthError).description;

/** Descriptions that no answer of the snapshot has. */
const RARE: readonly (readonly [AuthErrorCode, string])[] = [
  [INVALID_BODY, invalidBody('request.timeout').description],
  [INVALID_BODY, invalidBody(undefined).description],
  [INVALID_BODY, invalidBody('entity.too.large').description],
  [INVALID_BODY, invalidBody('encoding.corrupt').description],
  [INVALID_BODY, tooLarge(1_048_576)],
  [INVALID_BODY, refusedBy(() => checkTexts({ identifier: '', password: 'x' }))],
  [INVALID_BODY, refusedBy(() => checkTexts({ identifier: 'x', password: '' }))],
  [UNREADABLE_BODY, HIDDEN_QUERY.description],
  [INVALID_TOKEN, refusedBy(() => bearerToken(MALFORMED, 'merchant'))],
];

function refusalsOf(code: AuthErrorCode): readonly AuthError[] {
  const seconds = entryOf(code).retryAfterSeconds && { retryAfterSeconds: 5 };
  const recorded = bodies.filter(({ error, description }) => error === code && !description.includes('<N>'));
  return [
    new AuthError(code, seconds),
    ...(code.endsWith('_reference') ? [new AuthError(code, { referenceNames: ['merchant_id'] })] : []),
    // The recorded answers do not have the members of an error that only a respond reads.
    ...recorded.map(({ code: status, description, errors }) => {
      const [address] = /\d+(\.\d+){3}/.exec(description) ?? [];
      const limited = errors?.map((one) => ({ ...one, limit: Number(/\d+/.exec(one.message)) }));
      return new AuthError(code, {
        status,
        description,
        ...(address && { address }),
        ...(limited && { errors: limited }),
      });
    }),
    ...RARE.filter(([one]) => one === code).map(([, description]) => new AuthError(code, { description })),
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

  beforeEach('serve the same refusal in both languages', () => {
    app = express().disable('etag');
    app.use((_req, _res, next) => next(refusal));
    app.use('/en', authErrorHandler({ log: () => undefined }));
    app.use('/fr', authErrorHandler({ log: () => undefined, respond: respondInFrench }));
  });

  for (const code of Object.keys(catalogue) as AuthErrorCode[]) {
    it(`answers ${code} as in English, except for its texts`, async () => {
      const descriptions = new Map<string, string>();
      for (refusal of refusalsOf(code)) {
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
