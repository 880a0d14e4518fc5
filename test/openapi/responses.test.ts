import { expect } from 'chai';
import { type Operation, type RefusalGroup, refusalsOf } from '../../src/openapi/responses.js';
import { answerOf, TOO_BUSY } from '../helpers/answers.js';

/** The codes that each operation answers, by status. */
const CODES: Readonly<Record<Operation, Readonly<Record<string, readonly string[]>>>> = {
  Login: {
    400: ['invalid_body'],
    401: ['wrong_credentials', 'account_disabled'],
    403: ['source_not_allowed'],
    429: ['too_many_attempts'],
    500: ['malformed_account'],
    503: [TOO_BUSY, 'store_unavailable'],
  },
  Request: {
    400: ['invalid_body', 'invalid_url', 'missing_reference', 'invalid_reference'],
    401: ['missing_token', 'invalid_token', 'expired_token', 'revoked_token'],
    403: ['source_not_allowed', 'foreign_reference'],
    415: ['unreadable_body'],
    500: ['malformed_account'],
    503: ['store_unavailable'],
  },
};

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

function groupOf(operation: Operation, status: string): RefusalGroup {
  const group = refusalsOf(operation, 'merchant').find((one) => one.status === status);
  if (group === undefined) throw new Error(`${operation} has no ${status}`);
  return group;
}

describe('refusalsOf', () => {
  for (const [operation, byStatus] of Object.entries(CODES) as [Operation, (typeof CODES)[Operation]][]) {
    it(`has the statuses of ${operation} in their order`, () => {
      const groups = refusalsOf(operation, 'merchant').map(({ name, status }) => [name, status]);
      expect(groups).to.deep.equal(Object.keys(byStatus).map((status) => [`Refused${operation}${status}`, status]));
    });

    for (const [status, codes] of Object.entries(byStatus)) {
      it(`describes ${operation} ${status}: ${codes.join(', ')}`, () => {
        const { name, response, schema } = groupOf(operation, status);
        const { schema: reference, examples } = response.content['application/json'];
        expect(Object.keys(examples)).to.deep.equal(codes);
        expect(reference).to.deep.equal({ $ref: `#/components/schemas/${name}` });
        const [, limits] = (schema as { readonly allOf: readonly object[] }).allOf;
        expect(limits).to.deep.equal({
          properties: { code: { const: Number(status) }, error: { type: 'string', enum: codes } },
        });
        expect(Object.keys(response.headers ?? {})).to.deep.equal(HEADERS[status] ?? []);
      });
    }
  }

  it('says for each code when a client may repeat the request', () => {
    expect(groupOf('Request', '403').response.description.split('\n')).to.deep.equal([
      '- `source_not_allowed`: Address not allowed. Do not repeat the request unchanged.',
      '- `foreign_reference`: Not your refercence_cl. Do not repeat the request unchanged.',
      '',
      'The request was refused before anything ran, so nothing is done twice when it is repeated.',
    ]);
    for (const [status, line] of [
      ['401', '- `expired_token`: Token expired. Log in again, then repeat the request once.'],
      [
        '503',
        '- `store_unavailable`: Accounts cannot be checked. Repeat the request after the seconds of Retry-After.',
      ],
    ] as const) {
      expect(groupOf('Request', status).response.description.split('\n')).to.include(line);
    }
  });

  it('shows the seconds of the examples in Retry-After too', () => {
    const { headers, content } = groupOf('Login', '503').response;
    expect(headers?.['Retry-After']).to.deep.include({ required: true, example: 5 });
    const { value } = content['application/json'].examples[TOO_BUSY] ?? {};
    expect(value).to.have.property('description', answerOf(TOO_BUSY, 5).expected.description);
  });

  it('demands the list of broken rules in the 400 of the login, and nowhere else', () => {
    for (const operation of Object.keys(CODES) as Operation[]) {
      for (const { name, schema } of refusalsOf(operation, 'merchant')) {
        expect(JSON.stringify(schema).includes('"required":["errors"]'), name).to.equal(name === 'RefusedLogin400');
      }
    }
  });
});
