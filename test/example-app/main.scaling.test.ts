import { parseEnv } from 'node:util';
import { createTokens, type KeyConfig, type Tokens } from 'express-merchant-auth';
import { expect } from 'chai';
import { AWA as ACCOUNT } from '../helpers/accounts.js';
import { expectAccountDisabled, expectRevokedToken } from '../helpers/answers.js';
import { withPostgres } from '../helpers/databases.js';
import { withRedis } from '../helpers/redis.js';
import { blocksOf } from '../helpers/snippets.js';
import { SECRET, startApp } from './app-process.js';
import { AWA, create, idOf, idsOf, KOFI, list, logIn, tryLogIn } from './calls.js';

/** Returns the block of the page with this file name. */
function blockOf(name: string): string {
  const block = blocksOf('docs/scaling.md').find(({ file }) => file === name);
  if (block === undefined) throw new Error(`docs/scaling.md has no ${name}.`);
  return block.text;
}

function readRing(step: string): readonly KeyConfig[] {
  const { JWT_KEYS = '' } = parseEnv(blockOf(`rotation/${step}.env`));
  return JSON.parse(JWT_KEYS) as readonly KeyConfig[];
}

describe('docs/scaling.md: the rotation of the keys', () => {
  it('leaves no token of the step before or after that a process refuses', () => {
    const first = readRing('1-all-verify-with-the-new-key');
    const second = readRing('2-all-sign-with-the-new-key');
    const third = readRing('3-five-hours-later');
    const accepts = (verifier: Tokens, signer: Tokens) => verifier.verify(signer.issue(ACCOUNT)).sub === ACCOUNT.id;
    const before = createTokens({ keys: first.slice(0, 1) });
    const steps = [first, second, third].map((keys) => createTokens({ keys }));
    let previous = before;
    for (const step of steps) {
      expect(accepts(step, step)).to.equal(true);
      // The tokens of the first key expire before the last step.
      if (step !== steps.at(-1)) expect(accepts(step, previous)).to.equal(true);
      expect(accepts(previous, step)).to.equal(true);
      previous = step;
    }
    expect(() => accepts(previous, before)).to.throw('Token not valid');
  });
});

withPostgres('docs/scaling.md: two processes on one PostgreSQL', (database) => {
  withRedis('and one Redis', (redis) => {
    const shared: NodeJS.ProcessEnv = {
      JWT_SECRET: SECRET,
      DATABASE_URL: database.url,
      REDIS_URL: `redis://${redis.host}:${redis.port}/?keyPrefix=${redis.keyPrefix}:`,
      TRUST_PROXY: 'loopback',
    };

    it('share accounts, tokens and transactions with the settings of the page, and its SQL ends tokens', async () => {
      expect(parseEnv(blockOf('shared.env'))).to.have.all.keys(Object.keys(shared));
      const env = { ...shared, SEED_DEMO: '1' };
      const [one, other] = await Promise.all([startApp(env), startApp(env)]);
      const awa = await logIn(one.client);
      const id = idOf(await create(other.client, awa));
      expect(idsOf(await list(one.client, awa))).to.deep.equal([id]);
      const before = await logIn(one.client, KOFI);
      await database.query(blockOf('disable.sql'));
      await database.query(blockOf('log-out-everywhere.sql'));
      for (const { client } of [one, other]) {
        expectRevokedToken(await list(client, awa));
        expectAccountDisabled(await tryLogIn(client, AWA));
        expectRevokedToken(await list(client, before));
      }
      expect(idsOf(await list(other.client, await logIn(one.client, KOFI)))).to.deep.equal([]);
    });
  });
});
