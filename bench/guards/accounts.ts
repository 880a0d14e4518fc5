import type { Figures, Row, Run } from '../harness/rows.js';
import { alternate } from '../harness/statistics.js';
import { rateFigures, turnRatio } from '../harness/turns.js';
import { generateKey, MERCHANTS } from './keys.js';
import { withDatabase } from './postgres-accounts.js';
import { prepareRequests } from './requests.js';
import { withServers } from './stand.js';

const FEW = '1,000 accounts';
const MANY = '1,000,000 accounts';
const COST = `time of a request, ${MANY} over ${FEW}`;
const WARM_UP_ROUNDS = 8;

/** Measures requests with 10,000 tokens of different accounts, with a small and a large table. */
function measure(run: Run): Promise<Figures> {
  const key = generateKey('HS256');
  const setup = (databaseUrl: string) => ({ guard: 'complete guard', key, databaseUrl }) as const;
  return withDatabase(1_000, (few) =>
    withDatabase(1_000_000, (many) =>
      withServers(run, { [FEW]: setup(few), [MANY]: setup(many) }, async (stand) => {
        await stand.prepare(FEW, prepareRequests(key, 'accepted', MERCHANTS, 1_000));
        await stand.prepare(MANY, prepareRequests(key, 'accepted', MERCHANTS, 1_000_000));
        const turn = (name: string) => stand.turn(name, { requests: name });
        // Reads all rows that the requests need once.
        await alternate([FEW, MANY], WARM_UP_ROUNDS, turn);
        const turns = await alternate([FEW, MANY], run.rounds, turn);
        return { [COST]: turnRatio(turns, FEW, MANY), ...rateFigures('PostgreSQL', turns) };
      }),
    ),
  );
}

export const accounts: Row = {
  measures: 'the complete guard with 1,000 and with 1,000,000 accounts in PostgreSQL',
  targets: { [COST]: { atMost: 1.1 } },
  measure,
};
