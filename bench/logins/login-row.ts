import path from 'node:path';
import { accountOf, generateKey, MERCHANTS } from '../guards/keys.js';
import { prepareRequests } from '../guards/requests.js';
import { withServers } from '../guards/stand.js';
import { postBytes } from '../harness/http.js';
import { Remote } from '../harness/processes.js';
import type { Figures, Row, Run } from '../harness/rows.js';
import { BARE, CONTROL, figuresOf, type Part, processorTime } from '../harness/sides.js';
import { ratioName, startClient, tableOf, takeSlice } from '../harness/sides.js';
import { alternate } from '../harness/statistics.js';
import type { LoginServerCommands } from './server.js';

const LOGIN = 'login';
const HASH = 'hash library alone';
const LABEL = '8 callers';
const CALLERS = 8;
const password = 'baobab-and-calebasse';
const SLICE = { connections: CALLERS, settleMs: 200, ms: 1_000 };

/** Each has another account, because identical logins in flight share one hash. */
const requests = Array.from({ length: MERCHANTS }, (_, number) => {
  const bytes = postBytes('/v1/login', { email: accountOf(number + 1).email, password });
  return { bytes, status: 200, end: '"type":"bearer"}}' };
});

/** Measures logins over HTTP beside the hash library in the same process, and bare Express in another one. */
function measure(run: Run): Promise<Figures> {
  const key = generateKey('HS256');
  return withServers(run, key, {}, async (express) => {
    const remote = new Remote<LoginServerCommands>(path.join(__dirname, 'server.js'), { node: run.node.path });
    const client = startClient();
    try {
      const port = await remote.call('listen', { password });
      await client.call('open', { port, count: CALLERS });
      await client.call('prepare', { name: LOGIN, requests });
      await express.prepare('bare', prepareRequests(key, 'accepted', 1));
      await express.warmUp({ [BARE]: { server: BARE, requests: 'bare' } });
      const logIn = () => takeSlice(client, { remote, port }, { requests: LOGIN, ...SLICE }, run.problems);
      await logIn();
      const blocks = await alternate<Part>([BARE, CONTROL, LOGIN, HASH], run.blocks, async (side) => {
        if (side === LOGIN) return logIn();
        if (side !== HASH) return express.slice({ server: BARE, requests: 'bare' });
        const compare = () => remote.call('compare', { password, callers: CALLERS, ms: SLICE.ms });
        const { result, spent } = await processorTime({ remote }, compare);
        return { µs: spent / result.total, 'per second': result.perSecond, 'p99 ms': result.p99 };
      });
      return figuresOf(LABEL, blocks, LOGIN);
    } finally {
      await Promise.all([remote.end(), client.end()]);
    }
  });
}

export const logins: Row = {
  measures: 'logins, beside the hash library alone',
  targets: { [ratioName(LABEL, HASH, LOGIN)]: { atLeast: 0.95 } },
  measure,
  table: (figures) => {
    const lines = [BARE, LOGIN, HASH].map((name) => ({ cells: [name], name, labels: [LABEL] }));
    return tableOf([''], [LABEL], LOGIN, lines, figures);
  },
  isOnPage: true,
};
