import { expect } from 'chai';
import type { Operation } from '../../src/errors/catalogue-entry.js';
import { type RefusalGroup, refusalsOf } from '../../src/openapi/responses.js';
import { answerOf, EXPIRED_TOKEN, FOREIGN_REFERENCE, STORE_UNAVAILABLE, TOO_BUSY } from '../helpers/answers.js';

function groupOf(operation: Operation, status: string): RefusalGroup {
  const group = refusalsOf(operation, 'merchant', 'refercence_cl').find((one) => one.status === status);
  if (group === undefined) throw new Error(`${operation} has no ${status}`);
  return group;
}

describe('refusalsOf', () => {
  it('says for each code when a client may repeat the request', () => {
    for (const [status, code, advice] of [
      ['401', EXPIRED_TOKEN, 'Log in again, then repeat the request once.'],
      ['403', FOREIGN_REFERENCE, 'Do not repeat the request unchanged.'],
      ['503', STORE_UNAVAILABLE, 'Repeat the request after the seconds of Retry-After.'],
    ] as const) {
      expect(groupOf('Request', status).response.description.split('\n')).to.include.members([
        `- \`${code}\`: ${answerOf(code).expected.message}. ${advice}`,
        'The request was refused before anything ran, so nothing is done twice when it is repeated.',
      ]);
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
