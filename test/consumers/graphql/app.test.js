'use strict';

const assert = require('node:assert/strict');
const { STATUS_CODES } = require('node:http');
const { test } = require('node:test');
const { ApolloServer } = require('@apollo/server');
const { expressMiddleware } = require('@as-integrations/express5');
const express = require('express');
const { AuthError } = require('express-merchant-auth');
const { buildSchema, GraphQLError } = require('graphql');
const { createHandler } = require('graphql-http/lib/use/express');
const { createSchema, createYoga } = require('graphql-yoga');
const { AWA, listen, send } = require('../shared/cases.cjs');
const { guard, tokens, userStore } = require('./build/auth.js');
const { checkAnyToken, merchantIn } = require('./build/graphql.js');

userStore.put(AWA);

const QUERY = '{ referencl }';
const typeDefs = 'type Query { referencl: String }';
const referencl = ({ merchant }) => merchant?.referencl ?? null;
const resolvers = { Query: { referencl: (_parent, _args, context) => referencl(context) } };

/** Each makes a handler with a context, which gets the request of Express. */
const SERVERS = {
  async apollo(context) {
    const server = new ApolloServer({ typeDefs, resolvers });
    await server.start();
    return [express.json(), expressMiddleware(server, { context: async ({ req }) => context(req) })];
  },
  yoga(context) {
    const schema = createSchema({ typeDefs, resolvers });
    return [createYoga({ schema, logging: false, graphqlEndpoint: '/', context: async ({ req }) => context(req) })];
  },
  'graphql-http': (context) => {
    const rootValue = { referencl: (_args, given) => referencl(given) };
    return [createHandler({ schema: buildSchema(typeDefs), rootValue, context: ({ raw }) => context(raw) })];
  },
};

const thrown = ({ message, status }, headers) => {
  throw new GraphQLError(message, { extensions: { http: { status, headers } } });
};
const lowerCase = (headers) => new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Turn a refusal into the answer of a server. */
const REFUSALS = {
  apollo: (error) => thrown(error, lowerCase(error.headers)),
  yoga: (error) => thrown(error, error.headers),
  'graphql-http': (error) => {
    const { status, headers } = error;
    return [JSON.stringify(error), { status, statusText: STATUS_CODES[status], headers }];
  },
};

const contextThatRefuses = (refusal) => async (req) => {
  if (req.headers.authorization === undefined) return { merchant: null };
  try {
    return { merchant: await guard.authenticate(req) };
  } catch (error) {
    assert.ok(error instanceof AuthError);
    return refusal(error);
  }
};

const token = tokens.issue(AWA);
const foreign = { refercence_cl: 'CNT-1002' };
const byGet = `/?${new URLSearchParams({ query: QUERY, variables: JSON.stringify(foreign) })}`;
const post = (variables = {}) => ({ body: JSON.stringify({ query: QUERY, variables }) });

/** Sends the requests whose answers the page's guard and a context have in common. */
async function checkTokens(app, steps = async () => {}) {
  const server = await listen(app);
  try {
    const accepted = [await send(server, '/', post()), await send(server, '/', { ...post(), token })];
    assert.deepEqual(
      accepted.map(({ body }) => body.data?.referencl),
      [null, 'BTQ-1001'],
    );
    const { status, headers, body } = await send(server, '/', { ...post(), token: 'not.a.token' });
    assert.equal(status, 401);
    assert.match(headers['www-authenticate'], /^Bearer realm="merchant", error="invalid_token"/);
    assert.equal(body.data, undefined);
    await steps(server);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

for (const [name, createHandlers] of Object.entries(SERVERS)) {
  test(`the guard answers before ${name}`, async () => {
    const handlers = await createHandlers((req) => ({ merchant: merchantIn(req) }));
    await checkTokens(express().use(checkAnyToken, ...handlers), async (server) => {
      const preflight = { 'Apollo-Require-Preflight': 'true' };
      for (const [path, options] of [
        ['/', { ...post(foreign), token }],
        [byGet, { method: 'GET', headers: preflight, token }],
      ]) {
        const { status, body } = await send(server, path, options);
        assert.deepEqual([status, body.error], [403, 'foreign_reference']);
      }
    });
  });

  test(`the context refuses a token in ${name}`, async () => {
    await checkTokens(express().use(...(await createHandlers(contextThatRefuses(REFUSALS[name])))));
  });
}
