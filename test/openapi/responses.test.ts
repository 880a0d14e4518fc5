import { expect } from 'chai';
import type { AuthErrorCode } from '../../src/errors/catalogue.js';
import type { Operation } from '../../src/errors/catalogue-entry.js';
import { type RefusalGroup, refusalsOf } from '../../src/openapi/responses.js';
import {
  answerOf,
  EXPIRED_TOKEN,
  FOREIGN_REFERENCE,
  SOURCE_NOT_ALLOWED,
  STORE_UNAVAILABLE,
  TOO_BUSY,
} from '../helpers/answers.js';

function groupOf(operation: Operation, status: string): RefusalGroup {
  const group = refusalsOf(operation, 'merchant', 'refercence_cl').find((one) => one.status === status);
  if (group === undefined) throw new Error(`${operation} has no ${status}`);
  return group;
}

const itemOf = (code: AuthErrorCode, advice: string) => `- \`${code}\`: ${answerOf(code).expected.message}. ${advice}`;

describe('refusalsOf', () => {
  it('says for each code when a client may repeat the request', () => {
    expect(groupOf('Request', '403').response.description.split('\n')).to.deep.equal([
      itemOf(SOURCE_NOT_ALLOWED, 'Do not repeat the request unchanged.'),
      itemOf(FOREIGN_REFERENCE, 'Do not repeat the request unchanged.'),
      '',
      'The request was refused before anything ran, so nothing is done twice when it is repeated.',
    ]);
    for (const [status, line] of [
      ['401', itemOf(EXPIRED_TOKEN, 'Log in again, then repeat the request once.')],
      ['503', itemOf(STORE_UNAVAILABLE, 'Repeat the request after the seconds of Retry-After.')],
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
    for (const operation of ['Login', 'Request'] as const) {
      for (const { name, schema } of refusalsOf(operation, 'merchant', 'refercence_cl')) {
        expect(JSON.stringify(schema).includes('"required":["errors"]'), name).to.equal(name === 'RefusedLogin400');
      }
    }
  });
});
