'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { http } = require('@google-cloud/functions-framework');
const { getTestServer } = require('@google-cloud/functions-framework/testing');
const codegenie = require('@codegenie/serverless-express');
const vendia = require('@vendia/serverless-express');
const express = require('express');
const auth = require('express-merchant-auth');
const serverlessHttp = require('serverless-http');
const serverlessHttp3 = require('serverless-http-3');
const { casesOf, listen, send } = require('../shared/cases.cjs');
const { createShortestHost } = require('../shared/shortest-host.cjs');
const { trustLoadBalancer } = require('./docs/recipes/load-balancer.js');

const CLIENT = '203.0.113.7';

const ADAPTERS = {
  '@codegenie/serverless-express': (host) => codegenie({ app: host }),
  '@vendia/serverless-express': (host) => vendia({ app: host }),
  'serverless-http 4': serverlessHttp,
  'serverless-http 3': serverlessHttp3,
};

/** Makes the event of an HTTP request, as each service of AWS writes it. */
const EVENTS = {
  'API Gateway, format 1.0': ({ method, url, headers }, body) => ({
    version: '1.0',
    resource: '/{proxy+}',
    path: url.pathname,
    httpMethod: method,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    ...queryOf(url),
    requestContext: { identity: { sourceIp: CLIENT }, requestId: 'one', stage: 'live' },
    ...body,
  }),
  'API Gateway, format 2.0': ({ method, url, headers }, body) => ({
    version: '2.0',
    routeKey: '$default',
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    headers,
    requestContext: { http: { method, path: url.pathname, sourceIp: CLIENT }, requestId: 'one', stage: '$default' },
    ...body,
  }),
  'a load balancer': ({ method, url, headers }, body) => ({
    httpMethod: method,
    path: url.pathname,
    headers,
    queryStringParameters: Object.fromEntries(url.searchParams),
    requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:one' } },
    ...body,
  }),
};

function queryOf(url) {
  const names = [...new Set(url.searchParams.keys())];
  if (names.length === 0) return { queryStringParameters: null, multiValueQueryStringParameters: null };
  return {
    queryStringParameters: Object.fromEntries(url.searchParams),
    multiValueQueryStringParameters: Object.fromEntries(names.map((name) => [name, url.searchParams.getAll(name)])),
  };
}

/** Does the work of AWS: makes an event of each HTTP request, and a response of the result. */
function invoke(handler, eventOf, isBase64Encoded) {
  return async (req, res) => {
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString(isBase64Encoded ? 'base64' : 'utf8');
    const body = { body: text === '' ? null : text, isBase64Encoded: text !== '' && isBase64Encoded };
    const url = new URL(req.url, 'http://localhost');
    const headers = { ...req.headers, 'x-forwarded-for': CLIENT };
    const result = await handler(eventOf({ method: req.method, url, headers }, body), {});
    for (const [name, value] of Object.entries(result.multiValueHeaders ?? {})) res.setHeader(name, value);
    for (const [name, value] of Object.entries(result.headers ?? {})) res.setHeader(name, value);
    res.writeHead(result.statusCode).end(result.body, result.isBase64Encoded ? 'base64' : 'utf8');
  };
}

const createApp = () => createShortestHost(express, auth);

function testCases(title, createListener) {
  for (const { name, run } of casesOf(createListener)) test(`${title}: ${name}`, run);
}

for (const [adapter, adapt] of Object.entries(ADAPTERS)) {
  for (const [service, eventOf] of Object.entries(EVENTS)) {
    // One handler answers many events, as in AWS.
    const handler = adapt(createApp());
    testCases(`${adapter} behind ${service}`, () => invoke(handler, eventOf, false));
    testCases(`${adapter} behind ${service}, in base64`, () => invoke(handler, eventOf, true));
  }
}
http('payments', createApp());
const [cloudFunction] = getTestServer('payments').listeners('request');
for (const { name, run } of casesOf(() => cloudFunction)) {
  // The framework has parsers, and answers a body that is not JSON itself.
  if (!name.startsWith('a body that is not JSON')) test(`@google-cloud/functions-framework: ${name}`, run);
}

/** Resolves to the source of a login that fails. */
async function sourceOfLogin(handler, eventOf) {
  const sources = [];
  const stop = auth.onAuthEvent(({ type, source }) => type === 'login_failed' && sources.push(source));
  const server = await listen(invoke(handler, eventOf, false));
  const body = JSON.stringify({ email: 'nobody@boutique.example', password: 'calebasse-2026' });
  await send(server, '/v1/login', { body });
  server.closeAllConnections();
  server.close();
  stop();
  return sources;
}

function createBalancedHost() {
  const host = express();
  trustLoadBalancer(host);
  return host.use(createApp());
}

for (const [adapter, adapt] of Object.entries(ADAPTERS)) {
  for (const [service, eventOf] of Object.entries(EVENTS)) {
    test(`${adapter} behind ${service}: failed logins count for the caller`, async () => {
      const host = service === 'a load balancer' ? createBalancedHost() : createApp();
      assert.deepEqual(await sourceOfLogin(adapt(host), eventOf), [CLIENT]);
    });
  }
}
