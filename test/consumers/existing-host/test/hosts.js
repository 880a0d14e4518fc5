'use strict';

const { randomBytes } = require('node:crypto');
const { once } = require('node:events');
const { readFile } = require('node:fs/promises');
const path = require('node:path');
const { after, before, describe, it } = require('node:test');
const mysql = require('mysql2/promise');

const server = process.env.TEST_MYSQL_URL;
const secret = randomBytes(32).toString('hex');

/** Returns the folder of a version. `npm test` makes the one after the migration from the changed files. */
const folderOf = (version) => path.join(__dirname, '../build', version);

async function createDatabase(name, version) {
  const connection = await mysql.createConnection({ uri: server, multipleStatements: true });
  await connection.query(`CREATE DATABASE ${name}; USE ${name}`);
  await connection.query(await readFile(path.join(folderOf(version), 'schema.sql'), 'utf8'));
  await connection.end();
}

async function dropDatabase(name) {
  const connection = await mysql.createConnection(server);
  await connection.query(`DROP DATABASE ${name}`);
  await connection.end();
}

/** Starts an app on a free port of the loopback address. */
async function listen(app) {
  const listener = app.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return listener;
}

/** Sends a request with a JSON body, or with the body and the headers that the options give. */
async function send(listener, method, target, { token, json, body = JSON.stringify(json), headers } = {}) {
  const response = await fetch(`http://127.0.0.1:${listener.address().port}${target}`, {
    method,
    body,
    headers: {
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...(token && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.json() };
}

/**
 * Runs a suite against one version of the host. The host has a database with a random name.
 * Without TEST_MYSQL_URL the suite is skipped. Where CI is set, it fails instead.
 */
function withHost(version, suite) {
  if (!server) {
    it(`the host ${version} its migration: needs TEST_MYSQL_URL`, { skip: !process.env.CI }, () => {
      throw new Error('TEST_MYSQL_URL is not set.');
    });
    return;
  }
  const name = `ema_test_${randomBytes(8).toString('hex')}`;
  const load = (module) => require(path.join(folderOf(version), module));
  describe(`the host ${version} its migration`, () => {
    const host = { version, load, secret };
    let listener;

    before(async () => {
      await createDatabase(name, version);
      const url = new URL(server);
      url.pathname = `/${name}`;
      process.env.DATABASE_URL = url.href;
      process.env.JWT_SECRET = secret;
      host.db = load('db');
      listener = await listen(load('app'));
      host.send = (...request) => send(listener, ...request);
      host.logIn = async (username, password) => {
        const { body } = await host.send('POST', '/auth/login', { json: { username, password } });
        return body.data.token;
      };
    });
    suite(host);
    after(async () => {
      listener?.closeAllConnections();
      listener?.close();
      await host.db?.end();
      await dropDatabase(name);
    });
  });
}

module.exports = { withHost };
