/** @jest-environment jsdom */
// jsdom replaces globals such as AbortController before the modules are loaded, and has no TextDecoder. No request may
// depend on them.
const express = require('express');
const auth = require('express-merchant-auth');
const { openApi } = require('express-merchant-auth/openapi');
const { casesOf } = require('../../shared/cases.cjs');
const { createShortestHost } = require('../../shared/shortest-host.cjs');

const createHost = () => createShortestHost(express, auth);
const createRawHost = () => express().use(express.raw({ type: () => true }), createHost());

for (const { name, run } of casesOf(createHost)) test(`in jsdom, ${name}`, run);
for (const { name, run } of casesOf(createRawHost)) {
  // The handler of the host does not parse a Buffer.
  if (!name.startsWith('the own reference')) test(`in jsdom, behind a raw parser, ${name}`, run);
}

test('in jsdom, the document of OpenAPI is made', () => {
  expect(openApi().openapi).toBe('3.1.0');
});
