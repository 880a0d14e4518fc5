import { AsyncLocalStorage } from 'node:async_hooks';
import { createTokens, type KeyConfig } from 'express-merchant-auth';
import { expect } from 'chai';
import { openDependencies } from '../../example-app/src/dependencies.js';
import { AWA } from '../helpers/accounts.js';
import { INVALID_TOKEN } from '../helpers/answers.js';
import { withPostgres } from '../helpers/databases.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { thrownBy } from '../helpers/thrown.js';
import { readToken } from '../helpers/tokens.js';
import { until } from '../helpers/until.js';

const openTokens = async (env: NodeJS.ProcessEnv) => (await openDependencies(env, () => undefined)).tokens;

describe('example-app: openDependencies', () => {
  it('signs with the first of JWT_KEYS and accepts tokens of all of them', async () => {
    const keys = ['2026-11', '2026-05'].map((kid): KeyConfig => {
      return { kid, algorithm: 'HS256', secret: `${kid} with 32 bytes or more, as HS256 needs` };
    });
    const tokens = await openTokens({ JWT_KEYS: JSON.stringify(keys) });
    for (const key of keys) expect(tokens.verify(createTokens({ keys: [key] }).issue(AWA))).to.include({ sub: '1' });
    expect(readToken(tokens.issue(AWA)).header).to.include({ kid: '2026-11' });
  });

  it('signs with another random secret at each start when JWT_SECRET is empty', async () => {
    collectWarnings();
    const [one, other] = [await openTokens({ JWT_SECRET: '' }), await openTokens({})];
    expect(one.verify(one.issue(AWA))).to.include({ sub: '1' });
    expect(thrownBy(() => other.verify(one.issue(AWA)))).to.include({ code: INVALID_TOKEN });
  });
});

withPostgres('example-app: openDependencies with a database', (database) => {
  it('logs a lost connection outside of the request that opened it', async () => {
    const requests = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const log = (line: string) => void seen.push([line, requests.getStore()]);
    const { checks, close } = await openDependencies({ DATABASE_URL: database.url }, log);
    try {
      await requests.run('order-1', async () => checks['database']?.());
      await database.endConnections();
      await until(() => seen.length > 0);
    } finally {
      await close();
    }
    const line = 'PostgreSQL: terminating connection due to administrator command';
    expect(seen).to.deep.equal([[line, undefined]]);
  });
});
