'use strict';

const { randomBytes } = require('node:crypto');
const { readFile } = require('node:fs/promises');
const path = require('node:path');
const { after, before, describe, it } = require('node:test');
const mysql = require('mysql2/promise');
const { listen, send } = require('../../shared/cases.cjs');

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
      host.send = (method, target, { json, body = JSON.stringify(json), ...others } = {}) =>
        send(listener, target, { method, body, ...others });
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
