import { expect } from 'chai';
import { type AuthErrorCode, catalogue } from '../../src/errors/catalogue.js';
import { type Operation, refusalsOf } from '../../src/openapi/responses.js';
import { readPage } from '../helpers/snippets.js';

/** Returns the refusals that a diagram names, in the order of its lines. */
function namedIn(file: string): string[] {
  const texts = readPage(file).matchAll(/<text class="refusal" x="\d+" y="\d+">([^<]*)<\/text>/g);
  return [...texts].map(([, text = '']) => text);
}

/** Returns all refusals of an operation, as a diagram names them. */
function refusals(operation: Operation): string[] {
  const codes = refusalsOf(operation, 'merchant').flatMap(({ response }) => {
    return Object.keys(response.content['application/json'].examples) as AuthErrorCode[];
  });
  // Express refuses the URL, at a route behind the guard.
  return codes.filter((code) => code !== 'invalid_url').map((code) => `${catalogue[code].status} ${code}`);
}

it('docs/guard.svg names every refusal of a guarded request once', () => {
  expect(namedIn('docs/guard.svg')).to.have.members(refusals('Request'));
});

it('docs/login.svg names every refusal of a login', () => {
  expect([...new Set(namedIn('docs/login.svg'))]).to.have.members(refusals('Login'));
});
