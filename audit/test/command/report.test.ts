import { expect } from 'chai';
import { type Row, textOf } from '../../src/command/report.js';

const row = (given: Partial<Row>): Row => ({
  method: 'GET',
  path: '/a',
  verdict: 'open',
  status: 0,
  by: '',
  request: 'GET /a',
  isShape: false,
  early: [],
  place: '',
  refuser: '',
  ...given,
});

const ROWS: readonly Row[] = [
  row({ path: '/news', place: 'routes.js:3' }),
  row({ path: '/users/:id', place: 'routes.js:4', ranTo: 200 }),
  row({ method: 'POST', path: '/users' }),
  row({ method: 'POST', path: '/orders' }),
  row({ path: '/orders', verdict: 'refused', status: 401, refuser: 'passport' }),
  row({ path: '/v1/x', isShape: true, request: 'GET /V1/x' }),
  row({ path: '/form', verdict: 'openWithInput', by: 'validate', refuser: 'joi' }),
  row({ path: '/raw', verdict: 'openWithInput', by: '<anonymous>', refuser: 'app.js:7' }),
  row({ path: '/slow', verdict: 'unclear', status: 0, by: 'load' }),
  row({ path: '/down', verdict: 'unclear', status: 500 }),
  row({ path: '/late', verdict: 'unreached', status: 0 }),
  row({ path: '/early', verdict: 'refused', status: 403, by: 'guard', early: ['param(id)', 'log', 'check answers'] }),
  ...['/w1', '/w2', '/w3', '/w4'].map((path) => row({ path, place: 'wrapper.js:1' })),
];
const FRESH = ROWS.filter(({ verdict }) => verdict.startsWith('open'));

describe('the report of the command', () => {
  it('has a section for each kind of answer, the worst first, and the sum', () => {
    expect(textOf({ rows: ROWS, fresh: FRESH, showsAll: true, isColored: false })).to.equal(`
A stranger reaches the handler (9)
  GET    /v1/x       refused, but not as GET /V1/x
  POST   /orders     refused for another method
  POST   /users
  GET    /users/:id  ran: 200  routes.js:4
  GET    /news       routes.js:3
  GET    /w1
  GET    /w2
  GET    /w3
  GET    /w4

A stranger reaches the handler with the right input (2)
  GET    /form       checked by validate in joi
  GET    /raw        checked by app.js:7

Not known (3)
  GET    /slow       no answer from load
  GET    /down       500 from the app
  GET    /late       no request reached it

Refused, but something of the route runs before the guard (1)
  GET    /early      param(id), check answers

Refused (2)
  GET    /orders     401 by passport
  GET    /early      403 by guard

16 routes: 11 open, 2 refused (1 by passport, 1 by guard).
`);
  });

  it('colors the titles on a terminal, and counts what is accepted', () => {
    const text = textOf({ rows: ROWS.slice(0, 1), fresh: [], showsAll: false, isColored: false });
    expect(text).to.equal('\n1 routes: 0 open, 1 accepted, 0 refused.\n');
    const colored = textOf({ rows: ROWS.slice(0, 1), fresh: ROWS.slice(0, 1), showsAll: false, isColored: true });
    expect(colored).to.match(/^\n.+A stranger reaches the handler.* \(1\)\n/);
  });
});
