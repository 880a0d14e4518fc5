'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const express = require('express');
const auth = require('express-merchant-auth');
const { XMLParser } = require('fast-xml-parser');
const protobuf = require('protobufjs');
const xml2js = require('xml2js');
const { AWA, listen } = require('../shared/cases.cjs');

const tokens = auth.createTokens();
const guard = auth.createGuard({ tokens, userStore: new auth.InMemoryUserStore([AWA]) });

/** Returns the status for each body, when the parsed body is in `req.body` before the guard. */
async function statusesFor(parse, bodies, options) {
  const parseBody = (req, res, next) => {
    Promise.resolve(parse(req.body)).then((body) => next(void (req.body = body)), next);
  };
  const app = express();
  const answer = (_req, res) => res.sendStatus(204);
  const handlers = [parseBody, auth.requireBearer({ guard }), auth.requireOwnReference(options), answer];
  app.post('/', express.raw({ type: '*/*' }), handlers);
  const server = await listen(app.use(auth.authErrorHandler()));
  try {
    const url = `http://127.0.0.1:${server.address().port}/`;
    const headers = { Authorization: `Bearer ${tokens.issue(AWA)}`, 'Content-Type': 'application/octet-stream' };
    const statuses = [];
    for (const body of bodies) statuses.push((await fetch(url, { method: 'POST', headers, body })).status);
    return statuses;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const PROTO = 'syntax = "proto3"; message Payment { string refercence_cl = 1; int32 amount = 2; }';

for (const keepCase of [true, false]) {
  const type = protobuf.parse(PROTO, { keepCase }).root.lookupType('Payment');
  const [name] = Object.keys(type.fields);
  const bodies = ['BTQ-1001', 'CNT-1002'].map((reference) => type.encode({ [name]: reference }).finish());

  test(`a message of protobufjs is refused until it is a plain object, ${keepCase ? 'with' : 'without'} keepCase`, async () => {
    const asObject = await statusesFor((bytes) => type.toObject(type.decode(bytes)), bodies);
    assert.deepEqual(asObject, keepCase ? [204, 403] : [400, 400]);
    assert.equal((await statusesFor((bytes) => type.decode(bytes), bodies))[0], 400);
  });
}

test('the reference of XML is below the root, where only `from` looks', async () => {
  const bodies = ['BTQ-1001', 'CNT-1002'].map(
    (reference) => `<payment><refercence_cl>${reference}</refercence_cl></payment>`,
  );
  const from = (req) => req.body?.payment?.refercence_cl;
  const parser = new XMLParser();
  assert.deepEqual(await statusesFor((bytes) => parser.parse(bytes), bodies), [400, 403]);
  assert.deepEqual(await statusesFor((bytes) => parser.parse(bytes), bodies, { from }), [204, 403]);
  const withLists = (bytes) => xml2js.parseStringPromise(bytes);
  assert.deepEqual(await statusesFor(withLists, bodies, { from }), [400, 400]);
  const withoutLists = (bytes) => xml2js.parseStringPromise(bytes, { explicitArray: false });
  assert.deepEqual(await statusesFor(withoutLists, bodies, { from }), [204, 403]);
});
