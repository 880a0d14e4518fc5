import { generateKeys } from '../guards/keys.js';
import { endGuardServer, type GuardServer, startGuardLoad, startGuardServer } from '../guards/processes.js';
import { MERCHANTS } from '../guards/requests.js';
import { alternate, type Contender, type Pace, takeTurn, type Turns } from '../guards/turns.js';
import { createDatabase, dropDatabase } from './databases.js';

/** How many accounts the databases have that are compared. */
export const SIZES = { few: 1_000, many: 1_000_000 } as const;
export type Size = keyof typeof SIZES;

/** Guarded requests of many accounts, whose rows are in a small table and in a large one of PostgreSQL. */
export async function measureAccounts(pace: Pace): Promise<Turns<Size>> {
  const load = startGuardLoad();
  const keys = generateKeys();
  const urls: string[] = [];
  const servers: GuardServer[] = [];
  try {
    const contenders: Contender<Size>[] = [];
    for (const name of ['few', 'many'] as const) {
      const databaseUrl = await createDatabase(SIZES[name]);
      urls.push(databaseUrl);
      const setup = { guard: 'complete guard', major: 5, algorithm: 'HS256', keys, databaseUrl } as const;
      const server = await startGuardServer(load, setup);
      servers.push(server);
      const wanted = { keys, algorithm: 'HS256', kind: 'good', count: MERCHANTS, accounts: SIZES[name] } as const;
      await load.call('prepare', { names: [name], wanted });
      contenders.push({ name, server, status: 201 });
    }
    const turn = (contender: Contender<Size>) => takeTurn(load, contender, { ms: pace.sliceMs, repeats: true });
    // All rows that are asked for are read once, and the servers have run for a while.
    await alternate(contenders, { rounds: 4 }, turn);
    return await alternate(contenders, pace, turn);
  } finally {
    for (const server of servers) await endGuardServer(load, server);
    await load.end();
    for (const url of urls) await dropDatabase(url);
  }
}
