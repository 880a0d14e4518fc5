import { randomUUID } from 'node:crypto';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import {
  expectAccountDisabled,
  expectInvalidToken,
  expectRevokedToken,
  expectWrongCredentials,
} from '../helpers/answers.js';
import { withPostgres } from '../helpers/databases.js';
import { startLoad } from '../helpers/load.js';
import { withRedis } from '../helpers/redis.js';
import { blocksOf } from '../helpers/snippets.js';
import { SECRET, startApp, type StartedApp } from './app-process.js';
import { AWA, create, expectThrottled, type Headers, idOf, idsOf, KOFI, list, logIn, tryLogIn } from './calls.js';

const CALLERS = 3;

/** Returns the block of the page with this file name. */
function blockOf(name: string): string {
  const block = blocksOf('docs/scaling.md').find(({ file }) => file === name);
  if (block === undefined) throw new Error(`docs/scaling.md has no ${name}.`);
  return block.text;
}

const readRing = (step: string) => parseEnv(blockOf(`rotation/${step}.env`));

const FIRST_RING = readRing('1-all-verify-with-the-new-key');
const SECOND_RING = readRing('2-all-sign-with-the-new-key');
const THIRD_RING = readRing('3-five-hours-later');

/** The key ring before the rotation: only the key that signs in the first step. */
const RING_BEFORE = { JWT_KEYS: JSON.stringify((JSON.parse(FIRST_RING['JWT_KEYS'] ?? '') as unknown[]).slice(0, 1)) };

async function stop({ child, ending }: StartedApp): Promise<void> {
  child.kill('SIGTERM');
  expect(await ending).to.include({ code: 0, signal: null, stderr: '' });
}

withPostgres('docs/scaling.md: two processes on one PostgreSQL', (database) => {
  withRedis('and one Redis', (redis) => {
    const shared: NodeJS.ProcessEnv = {
      JWT_SECRET: SECRET,
      DATABASE_URL: database.url,
      REDIS_URL: `redis://${redis.host}:${redis.port}/?keyPrefix=${redis.keyPrefix}:`,
    };

    const start = (more: NodeJS.ProcessEnv = {}) => startApp({ ...shared, ...more });
    const startTwo = (more: NodeJS.ProcessEnv = {}) => Promise.all([start(more), start(more)]);

    before('make the accounts', async () => {
      const app = await start({ SEED_DEMO: '1' });
      await stop(app);
    });

    it('get the settings that the page says they share', () => {
      expect(parseEnv(blockOf('shared.env'))).to.have.all.keys(Object.keys(shared));
    });

    it('accept the tokens of each other, and show the transactions of each other', async () => {
      const [one, other] = await startTwo();
      const awa = await logIn(one.client);
      const id = idOf(await create(other.client, awa));
      expect(idsOf(await list(one.client, awa))).to.include(id);
      await Promise.all([stop(one), stop(other)]);
    });

    it('count the failures at both together', async () => {
      const [one, other] = await startTwo();
      const wrong = { ...AWA, password: 'not the password' };
      for (const { client } of [one, other]) {
        for (let guess = 0; guess < 5; guess++) expectWrongCredentials(await tryLogIn(client, wrong));
      }
      for (const { client } of [one, other]) expectThrottled(await tryLogIn(client, AWA));
      await logIn(other.client, KOFI);
    });

    it('refuse the tokens and the login of an account once it is disabled in SQL', async () => {
      const [one, other] = await startTwo();
      const kofi = await logIn(one.client, KOFI);
      await database.query(blockOf('disable.sql').replace(AWA.email, KOFI.email));
      for (const { client } of [one, other]) {
        expectRevokedToken(await list(client, kofi));
        expectAccountDisabled(await tryLogIn(client, KOFI));
      }
      await database.query('UPDATE merchants SET disabled = false');
      for (const { client } of [one, other]) expect(idsOf(await list(client, kofi))).to.deep.equal([]);
    });

    it('refuse the older tokens of an account that was logged out everywhere in SQL, and accept the next one', async () => {
      const [one, other] = await startTwo();
      const before = await logIn(one.client, KOFI);
      await database.query(blockOf('log-out-everywhere.sql'));
      for (const { client } of [one, other]) expectRevokedToken(await list(client, before));
      const after = await logIn(one.client, KOFI);
      for (const { client } of [one, other]) expect(idsOf(await list(client, after))).to.deep.equal([]);
    });

    it('change their keys one after the other, and answer no call with 401 meanwhile', async () => {
      const apps = await startTwo(RING_BEFORE);
      const old = await logIn(apps[0].client, KOFI);
      const tokens: Headers[] = [old];
      const inFlight = new Set<Promise<unknown>>();
      const calls = startLoad(CALLERS, async (turn) => {
        const app = apps[turn % apps.length];
        const token = tokens[Math.floor(turn / apps.length) % tokens.length];
        if (app === undefined || token === undefined) throw new Error('Nobody can be called.');
        const answer = list(app.client, token);
        inFlight.add(answer);
        expect(idsOf(await answer)).to.deep.equal([]);
        inFlight.delete(answer);
      });

      /** Restarts one process with another ring, when nobody calls it any more. */
      async function restart(ring: NodeJS.ProcessEnv): Promise<void> {
        const [leaving] = apps.splice(0, 1);
        await Promise.all(inFlight);
        if (leaving !== undefined) await stop(leaving);
        const coming = await start(ring);
        apps.push(coming);
        tokens.push(await logIn(coming.client, KOFI));
        await calls.more(CALLERS + 2 * apps.length * tokens.length);
      }

      await calls.more(CALLERS);
      for (const ring of [FIRST_RING, FIRST_RING, SECOND_RING, SECOND_RING]) await restart(ring);
      const [current = {}] = tokens.slice(-1);
      // Five hours later the others have expired.
      tokens.splice(0, tokens.length, current);
      await calls.more(CALLERS);
      for (const ring of [THIRD_RING, THIRD_RING]) await restart(ring);
      await calls.stop();
      for (const { client } of apps) expectInvalidToken(await list(client, old));
      await Promise.all(apps.map(stop));
    });

    it('lose no answered transaction when one process is killed under load', async () => {
      const [one, other] = await startTwo();
      const kofi = await logIn(one.client, KOFI);
      const transaction = { refercence_cl: 'CNT-1002', amount: 5, currency: 'XOF' };
      const answered: string[] = [];
      let isKilled = false;
      const calls = startLoad(CALLERS, async () => {
        try {
          const body = { ...transaction, merchant_transaction_id: randomUUID() };
          answered.push(idOf(await one.client.send('POST', '/v1/transactions', { headers: kofi, body })));
        } catch (error) {
          // These requests had no answer when the process was killed.
          if (!isKilled) throw error;
        }
      });
      await calls.more(10 * CALLERS);
      isKilled = true;
      one.child.kill('SIGKILL');
      expect(await one.ending).to.include({ signal: 'SIGKILL', stderr: '' });
      await calls.stop();
      expect(answered).to.have.lengthOf.at.least(10 * CALLERS);
      expect(idsOf(await list(other.client, kofi))).to.include.members(answered);
      await stop(other);
    });
  });
});
