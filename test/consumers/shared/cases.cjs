// The requests that every consumer answers. They are cases of any test runner, { name, run }.
'use strict';

process.env.JWT_SECRET ??= 'the secret of a consumer, which has 32 bytes or more';

const assert = require('node:assert/strict');
const { once } = require('node:events');
const http = require('node:http');

const email = 'awa@boutique.example';
const password = 'baobab-2026';

/** The account of README's shortest host, with an id for tokens that a test issues. */
exports.AWA = { id: 'BTQ-1001', email, password, marchand: { referencl: 'BTQ-1001' } };

const logIn = (typed) => ['/v1/login', { body: JSON.stringify({ email, password: typed }) }];
const pay = (json, token) => ['/v1/transactions', { body: JSON.stringify(json), token }];
const OWN = { refercence_cl: 'BTQ-1001', amount: 500 };

/** Each has a title, the request, which can send the token of a login, and the status. */
const LOGINS = [
  ['a login', () => logIn(password), 200],
  ['a wrong password', () => logIn('calebasse-2026'), 401],
];
const GUARDED = [
  ['a request without a token', () => pay(OWN), 401],
  ['a token that is not one', () => pay(OWN, 'not.a.token'), 401],
  ['the own reference', (token) => pay(OWN, token), 201],
  ['a foreign reference', (token) => pay({ ...OWN, refercence_cl: 'CNT-1002' }, token), 403],
  ['no reference', (token) => pay({ amount: 500 }, token), 400],
  ['a body that is not JSON', (token) => ['/v1/transactions', { body: '{"amount":', token }], 400],
];

/** Starts a server on a free port of the loopback address. The listener is an Express app, for example. */
exports.listen = async (listener) => {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

/** Sends a request over node:http, because fake timers do not stop it. Resolves to the status, headers and JSON body. */
exports.send = async (server, path, { method = 'POST', body, token, headers } = {}) => {
  const request = http.request({
    port: server.address().port,
    host: '127.0.0.1',
    agent: false,
    method,
    path,
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(token && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  request.setTimeout(4_000, () => request.destroy(new Error('There is no answer.')));
  request.end(body);
  const [response] = await once(request, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) };
};

/** Logs in as AWA and resolves to the token. */
exports.tokenOf = async (server) => {
  const { body } = await exports.send(server, ...logIn(password));
  return body.authorisation.token;
};

const REFUSAL = ['status', 'success', 'code', 'error', 'message', 'description'];

/** Checks the status, and the form of the answer. The texts do not depend on the consumer. */
function checkAnswer({ status, headers, body }, expected) {
  assert.equal(status, expected);
  assert.match(headers['content-type'], /^application\/json; charset=utf-8$/);
  assert.equal(/^Bearer realm="merchant"/.test(headers['www-authenticate']), status === 401);
  if (status === 200) assert.match(body.authorisation.token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  else if (status === 201) assert.deepEqual(body, OWN);
  else assert.deepEqual([Object.keys(body), body.code], [REFUSAL, status]);
}

function caseOf([name, requestWith, status], createApp, tokenFor, beforeRequest) {
  return {
    name: `${name} gets ${status}`,
    run: async () => {
      const server = await exports.listen(await createApp());
      try {
        const token = await tokenFor(server);
        beforeRequest();
        checkAnswer(await exports.send(server, ...requestWith(token)), status);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/**
 * Returns the cases of a host, for example `for (const { name, run } of casesOf(createApp)) test(name, run);`. They share
 * the token of one login, because each login computes a hash.
 * @param createApp returns or resolves to the app, which is README's shortest host with the account AWA
 * @param beforeRequest is called after the login and before the request of the case
 */
exports.casesOf = (createApp, beforeRequest = () => {}) => {
  let token;
  const tokenFor = (server) => (token ??= exports.tokenOf(server));
  return [...LOGINS, ...GUARDED].map((exchange) => caseOf(exchange, createApp, tokenFor, beforeRequest));
};

/** Returns the cases of a service that has only the guarded route. `token` is a good token of AWA. */
exports.guardedCasesOf = (createApp, token) =>
  GUARDED.map((exchange) =>
    caseOf(
      exchange,
      createApp,
      () => token,
      () => {},
    ),
  );
