import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { expectAccountDisabled, expectRevokedToken } from '../helpers/answers.js';
import { withPostgres } from '../helpers/databases.js';
import { withRedis } from '../helpers/redis.js';
import { blockOf } from '../helpers/snippets.js';
import { AWA, create, idOf, idsOf, KOFI, list, logIn, tryLogIn } from './calls.js';
import { serveAppOver } from './serve-app.js';

const PAGE = 'docs/operations.md';

withPostgres(`${PAGE}: two apps on one PostgreSQL`, (database) => {
  withRedis('and one Redis', (redis) => {
    const shared: NodeJS.ProcessEnv = {
      JWT_SECRET: process.env['JWT_SECRET'],
      DATABASE_URL: database.url,
      REDIS_URL: `redis://${redis.host}:${redis.port}/?keyPrefix=${redis.keyPrefix}:`,
      TRUST_PROXY: 'loopback',
    };

    it('share accounts, tokens and transactions with the settings of the page, and its SQL ends tokens', async () => {
      expect(parseEnv(blockOf(PAGE, 'shared.env'))).to.have.all.keys(Object.keys(shared));
      const [one, other] = [await serveAppOver(shared), await serveAppOver(shared)];
      const awa = await logIn(one.app);
      const id = idOf(await create(other.app, awa));
      expect(idsOf(await list(one.app, awa))).to.deep.equal([id]);
      const before = await logIn(one.app, KOFI);
      await database.query(blockOf(PAGE, 'disable.sql'));
      await database.query(blockOf(PAGE, 'log-out-everywhere.sql'));
      for (const { app } of [one, other]) {
        expectRevokedToken(await list(app, awa));
        expectAccountDisabled(await tryLogIn(app, AWA));
        expectRevokedToken(await list(app, before));
      }
      expect(idsOf(await list(other.app, await logIn(one.app, KOFI)))).to.deep.equal([]);
    });
  });
});
