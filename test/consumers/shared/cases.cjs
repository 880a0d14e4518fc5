// The requests that every consumer answers, each with its whole answer. They are cases of any test runner, { name, run }.
'use strict';

process.env.JWT_SECRET ??= 'the secret of a consumer, which has 32 bytes or more';

const assert = require('node:assert/strict');
const { once } = require('node:events');
const http = require('node:http');

const email = 'awa@boutique.example';
const password = 'baobab-2026';

/** The account of README's shortest host, with an id for tokens that a test issues. */
exports.AWA = { id: 'BTQ-1001', email, password, marchand: { referencl: 'BTQ-1001' } };

const challenge = 'Bearer realm="merchant"';
const refusal = (code, error, message, description, headers = {}) => ({
  status: code,
  headers,
  body: { status: 'Error', success: false, code, error, message, description },
});

const LOGGED_IN = {
  status: 200,
  headers: { 'cache-control': 'no-store' },
  body: {
    status: 'Success',
    success: true,
    code: 200,
    message: 'Login success',
    user: { email, phone: '' },
    marchand: { referencl: 'BTQ-1001', statut: 1 },
    authorisation: { token: 'a JWT', type: 'bearer' },
  },
};
const CREATED = { status: 201, headers: {}, body: { refercence_cl: 'BTQ-1001', amount: 500 } };
const WRONG_CREDENTIALS = refusal(
  401,
  'wrong_credentials',
  'Wrong email or password',
  'The email or the password is wrong. Check both and log in again.',
  { 'www-authenticate': challenge },
);
const MISSING_TOKEN = refusal(401, 'missing_token', 'Token missing', 'Send the header Authorization: Bearer <token>.', {
  'www-authenticate': challenge,
});
const INVALID_TOKEN = refusal(401, 'invalid_token', 'Token not valid', 'The token is not valid. Log in again.', {
  'www-authenticate': `${challenge}, error="invalid_token", error_description="The token is not valid. Log in again."`,
});
const FOREIGN_REFERENCE = refusal(
  403,
  'foreign_reference',
  'Not your refercence_cl',
  'This refercence_cl is not yours. Send the marchand.referencl of your login.',
);
const MISSING_REFERENCE = refusal(
  400,
  'missing_reference',
  'refercence_cl missing',
  'Send refercence_cl: the marchand.referencl of your login.',
);
const INVALID_BODY = refusal(400, 'invalid_body', 'Body not valid', 'The body is not a valid JSON object or array.');

const logIn = (typed) => ['/v1/login', { body: JSON.stringify({ email, password: typed }) }];
const pay = (json, token) => ['/v1/transactions', { body: JSON.stringify(json), token }];
const OWN = { refercence_cl: 'BTQ-1001', amount: 500 };

/** Each has a title, the request, which can send the token of a login, and the answer. */
const LOGINS = [
  ['a login', () => logIn(password), LOGGED_IN],
  ['a wrong password', () => logIn('calebasse-2026'), WRONG_CREDENTIALS],
];
const GUARDED = [
  ['a request without a token', () => pay(OWN), MISSING_TOKEN],
  ['a token that is not one', () => pay(OWN, 'not.a.token'), INVALID_TOKEN],
  ['the own reference', (token) => pay(OWN, token), CREATED],
  ['a foreign reference', (token) => pay({ ...OWN, refercence_cl: 'CNT-1002' }, token), FOREIGN_REFERENCE],
  ['no reference', (token) => pay({ amount: 500 }, token), MISSING_REFERENCE],
  ['a body that is not JSON', (token) => ['/v1/transactions', { body: '{"amount":', token }], INVALID_BODY],
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

/** Replaces the token of a login, after a check of its form. */
function withoutToken({ authorisation, ...body }) {
  if (!authorisation) return body;
  assert.match(authorisation.token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  return { ...body, authorisation: { ...authorisation, token: 'a JWT' } };
}

function checkAnswer({ status, headers, body }, expected) {
  const named = Object.keys(expected.headers).map((name) => [name, headers[name]]);
  assert.match(headers['content-type'], /^application\/json; charset=utf-8$/);
  assert.deepEqual({ status, headers: Object.fromEntries(named), body: withoutToken(body) }, expected);
}

function caseOf([name, requestWith, answer], createApp, tokenFor, beforeRequest) {
  return {
    name: `${name} gets ${answer.status}`,
    run: async () => {
      const server = await exports.listen(await createApp());
      try {
        const token = await tokenFor(server);
        beforeRequest();
        checkAnswer(await exports.send(server, ...requestWith(token)), answer);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/**
 * Returns the cases of a host, for example `for (const { name, run } of casesOf(createApp)) test(name, run);`.
 * @param createApp returns or resolves to the app, which is README's shortest host with the account AWA
 * @param beforeRequest is called after the login and before the request of the case
 */
exports.casesOf = (createApp, beforeRequest = () => {}) =>
  [...LOGINS, ...GUARDED].map((exchange) => caseOf(exchange, createApp, exports.tokenOf, beforeRequest));

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
