import { randomUUID } from 'node:crypto';
import express from 'express';
import { accountStore } from '../../../test/helpers/accounts.js';
import { FRAMEWORK } from '../../../test/helpers/on-each-express.js';
import type { Resource } from '../../src/index.js';
import { type Asked, note, PATH, returning, show, testHosts, testServedHosts, TRANSACTIONS } from '../hosts.js';

const { auth } = FRAMEWORK;
const ROWS = '5.6 a row of';
const LIST = 'GET /v1/list';
const NOTE = 'POST /v1/note';
const asked = (route: string, names = 'id') => `${route} of otherMerchant with the ${names} of merchant got 200. …`;

describe('the contract sends the query of an entry', () => {
  /** Refuses each member of a query, as a strict schema does. */
  const serves = { [LIST]: ({ req, mine }: Asked) => (Object.keys(req.query).length > 0 ? 422 : mine) };

  testHosts('5.6 a list', {
    'without the members that are undefined': { serves, routes: { 'GET /v1/*': { query: { month: undefined } } } },
    'and else the own reference where a function above the route demands it': {
      mount: (app) => app.use('/v1/list', auth.requireOwnReference()),
      serves: { [LIST]: ({ mine }) => mine },
    },
  });
});

describe('the contract sends the body of an entry', () => {
  const guard = [
    auth.requireBearer({ userStore: accountStore(), reference: 'unchecked' }),
    express.text({ type: '*/xml' }),
    express.raw({ type: '*/pdf' }),
  ];
  const named = ({ req, all }: Asked) => show(all.find(({ id }) => String(req.body) === `<${id}>`));
  const typed = (type: string, bodyOf: (text: string) => unknown) => ({
    guard,
    serves: { [NOTE]: named },
    routes: { [NOTE]: { body: ({ id }: { id?: unknown }) => bodyOf(`<${id}>`), headers: { 'Content-Type': type } } },
    says: asked(NOTE),
  });
  const formOf = (id: string) => {
    const form = new FormData();
    form.set('id', id);
    return form;
  };
  const shops: Resource = { read: 'GET /v1/shops/:id', create: () => Promise.resolve({ id: `shop-${randomUUID()}` }) };

  testServedHosts(ROWS, {
    'but not with the GET of app.all': {
      serves: { [`ALL ${PATH}/note`]: ({ own }) => show(own) },
      routes: { [`ALL ${PATH}/note`]: { body: { note: 'paid' } } },
    },
    'as text': typed('text/xml', (text) => text),
    'as bytes': typed('image/pdf', (text) => Buffer.from(text)),
    'as a form': {
      guard: [...guard, express.raw({ type: 'multipart/form-data' })],
      serves: { [NOTE]: ({ req, all }) => show(all.find(({ id }) => String(req.body).includes(`\r\n${id}\r\n`))) },
      routes: { [NOTE]: { body: ({ id }) => formOf(String(id)) } },
      says: asked(NOTE),
    },
    'as an array': {
      serves: { [NOTE]: ({ req, all }) => show(all.find(({ id }) => (req.body as { id: unknown }[])[0]?.id === id)) },
      routes: { [NOTE]: { body: ({ id }) => [{ id }] } },
      says: asked(NOTE),
    },
    'with the reference of the owner under another name, where create returns it': {
      serves: {
        [NOTE]: ({ all, body }) =>
          show(all.find(({ id, refercence_cl }) => id === body['id'] && refercence_cl === body['by'])),
      },
      resources: [returning((as) => ({ refercence_cl: as.referencl }))],
      routes: { [NOTE]: { body: ({ id, refercence_cl }) => ({ id, by: refercence_cl }) } },
      says: asked(NOTE, 'id and refercence_cl'),
    },
    'for the rows of which alone the status tells': {
      serves: {
        [NOTE]: ({ body, any }) => (body['id']?.startsWith('shop-') || any ? 204 : (res) => void res.status(404).end()),
      },
      resources: [shops, TRANSACTIONS],
      routes: { [NOTE]: { body: ({ id }) => ({ id }) } },
      says: `${NOTE} of otherMerchant with the id of merchant got 204. …`,
    },
    'for the first rows, where no answer tells, and passes': {
      serves: { 'PUT /v1/note': (one) => (note(one, one.own), 204) },
      resources: [TRANSACTIONS, shops],
      leaveOut: { [shops.read]: 'The host has no such route.' },
      routes: { 'PUT /v1/note': { body: ({ id }) => ({ id, note: randomUUID() }) } },
    },
  });
});

describe('the contract says', () => {
  const DELETE = `DELETE ${PATH}`;
  const refused = (name: string) => `If no merchant may use it, write refused: { '${name}': 'the reason' }.`;

  testServedHosts('5.6 a list', {
    'that a list with 403 for each merchant can be a refused one': {
      serves: { [LIST]: () => 403 },
      says: `GET /v1/list for merchant got 403, so its rows were not seen. ${refused(LIST)} Write its query: …`,
    },
  });

  testServedHosts(ROWS, {
    'that a route with 403 for each merchant can be a refused one': {
      serves: { [DELETE]: () => 403 },
      says: `DELETE /v1/transactions/… got 403, so the test of ${DELETE} proves nothing. ${refused(DELETE)} Write what the route needs: …`,
    },
    'that a route fails for unknown ids': {
      serves: { [`GET ${PATH}`]: ({ own, foreign }) => (own ? show(own) : foreign ? 404 : 500) },
      says: `…, and 500 with an id that nobody has, which tells that the row exists. The route fails for an id that nobody has: answer 404 there too. …`,
    },
    'leaks before the tests that prove nothing': {
      serves: { [DELETE]: () => 403, [`GET ${PATH}/receipt`]: ({ any }) => show(any) },
      says: `GET ${PATH}/receipt of otherMerchant with the id of merchant got 200. …\nDELETE /v1/transactions/…`,
    },
  });
});
