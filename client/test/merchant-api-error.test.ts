import { expect } from 'chai';
import { TOO_MANY_ATTEMPTS } from '../../test/helpers/answers.js';
import { MerchantApiError } from '../src/index.js';

const BODY = {
  status: 'Error',
  success: false,
  code: 429,
  error: TOO_MANY_ATTEMPTS,
  message: 'Too many failed logins',
  description: 'Too many logins failed. Try again in 60 seconds.',
};

const DATE = 'Thu, 15 Jan 2026 12:00:00 GMT';

function answerWith(headers: Readonly<Record<string, string>>): Response {
  return Response.json(BODY, { status: 429, headers });
}

describe('MerchantApiError', () => {
  it("has the members of the service's answer", async () => {
    const error = await MerchantApiError.from(answerWith({ 'Retry-After': '60', 'X-Request-Id': 'order-17' }));
    expect(error).to.be.instanceOf(Error);
    expect(Object.fromEntries(Object.entries(error))).to.deep.equal({
      name: 'MerchantApiError',
      status: 429,
      error: TOO_MANY_ATTEMPTS,
      description: BODY.description,
      retryAfterSeconds: 60,
      requestId: 'order-17',
      body: BODY,
    });
    expect(String(error)).to.equal(`MerchantApiError: ${BODY.description}`);
  });

  for (const [requestId, shown] of [
    ['Root=1:67.aé', undefined],
    ['baobab%2D2026', undefined],
    ['a b', undefined],
    ['1'.repeat(201), undefined],
    ['1-67891233:ab_c.9', '1-67891233:ab_c.9'],
  ] as const) {
    it(`has ${shown === undefined ? 'no' : 'the'} request ID ${requestId.slice(0, 20)}`, async () => {
      expect(await MerchantApiError.from(answerWith({ 'X-Request-Id': requestId }))).to.include({ requestId: shown });
    });
  }

  for (const [title, headers, seconds] of [
    ['a date', { 'Retry-After': 'Thu, 15 Jan 2026 12:00:20 GMT', Date: DATE }, 20],
    ['a date that is over', { 'Retry-After': 'Thu, 15 Jan 2026 11:00:00 GMT', Date: DATE }, 0],
    ['a date in an answer without a date', { 'Retry-After': DATE }, undefined],
    ['a date without its time zone', { 'Retry-After': 'Thu Jan 15 12:00:20 2026', Date: DATE }, undefined],
    ...['soon', '-1', '5.5', '1e3', '2, 3', `${DATE}+1`, `On ${DATE}`].map(
      (value) => [`"${value}"`, { 'Retry-After': value, Date: DATE }, undefined] as const,
    ),
    ['missing', { Date: DATE }, undefined],
  ] as const) {
    it(`has ${seconds ?? 'no'} seconds when Retry-After is ${title}`, async () => {
      expect((await MerchantApiError.from(answerWith(headers))).retryAfterSeconds).to.equal(seconds);
    });
  }

  it('has the seconds when a space follows, which `Headers` would remove', () => {
    const headers = { get: () => '40 ' } as unknown as Headers;
    expect(new MerchantApiError({ status: 429, headers }, '')).to.have.property('retryAfterSeconds', 40);
  });

  for (const [title, text, description, body] of [
    ['text', '<h1>Bad Gateway</h1>', 'The service answered 502.', '<h1>Bad Gateway</h1>'],
    ['empty', '', 'The service answered 502.', ''],
    ['null', 'null', 'The service answered 502.', null],
    ['JSON with a message alone', '{"message":"Away"}', 'Away', { message: 'Away' }],
    ['JSON of RFC 9457', '{"title":"Locked","detail":"Call us"}', 'Call us', { title: 'Locked', detail: 'Call us' }],
    ['JSON with a title alone', '{"title":"Locked","description":""}', 'Locked', { title: 'Locked', description: '' }],
    ['JSON with other types', '{"description":1,"error":2}', 'The service answered 502.', { description: 1, error: 2 }],
  ] as const) {
    it(`has a description when the body is ${title}`, () => {
      const error = new MerchantApiError({ status: 502, headers: new Headers() }, text);
      expect([error.message, error.description]).to.deep.equal([description, description]);
      expect([error.error, error.requestId]).to.deep.equal([undefined, undefined]);
      expect(error.body).to.deep.equal(body);
    });
  }

  it('is described by the error when the body has no other text', () => {
    const error = new MerchantApiError({ status: 401, headers: new Headers() }, '{"error":"Invalid login"}');
    expect(error).to.include({ message: 'Invalid login', description: 'Invalid login', error: 'Invalid login' });
  });
});
