import { markdownTable } from '../harness/report.js';
import { each, type Figures, type Row, type Run } from '../harness/rows.js';
import { alternate, type Spread } from '../harness/statistics.js';
import { rateFigures, type Turn, TURN_HEAD, turnCells, turnFigures, turnRatio } from '../harness/turns.js';
import { type Algorithm, ALGORITHMS, generateKey } from './keys.js';
import { prepareRequests, type TokenKind } from './requests.js';
import { TURN_MS, WARM_UP_ROUNDS, withServers } from './stand.js';

const MINE = 'complete guard';
const PEER = 'passport-jwt, KeyObject';

/** More requests than any server here answers in a second, because each token is sent once. */
const MOST_PER_SECOND = { HS256: 25_000, RS256: 12_000, ES256: 10_000 };

const newRatio = (algorithm: Algorithm) => `${algorithm}, ${MINE} over ${PEER}`;

/** Measures tokens that the server has not seen. Each round has new ones, and both servers get the same. */
async function measureNew(run: Run): Promise<Figures> {
  const figures: Record<string, Spread> = {};
  for (const algorithm of ALGORITHMS) {
    const key = generateKey(algorithm);
    const setups = { [MINE]: { guard: MINE, key }, [PEER]: { guard: PEER, key } } as const;
    const count = Math.ceil(((TURN_MS + 100) / 1_000) * MOST_PER_SECOND[algorithm]);
    const turns = await withServers(run, setups, async (stand) => {
      await stand.prepare(algorithm, prepareRequests(key, 'accepted', 1));
      await stand.turns({ requests: algorithm }, WARM_UP_ROUNDS);
      return alternate([MINE, PEER], run.rounds, async (name, isFirst) => {
        const requests = isFirst ? prepareRequests(key, 'accepted', count) : [];
        for (const taker of isFirst ? [MINE, PEER] : []) await stand.prepare(taker, requests);
        return stand.turn(name, { requests: name, once: true });
      });
    });
    figures[newRatio(algorithm)] = turnRatio(turns, MINE, PEER);
    Object.assign(figures, rateFigures(algorithm, turns));
  }
  return figures;
}

export const newTokens: Row = {
  measures: 'tokens that are sent once, beside passport-jwt with a KeyObject',
  targets: each(ALGORITHMS.map(newRatio), { atLeast: 0.9 }),
  measure: measureNew,
};

const KINDS = ['accepted', 'no token', 'garbage', 'bad signature', 'expired'] as const satisfies readonly TokenKind[];
const cost = (kind: TokenKind) => `processor time, ${kind} over accepted`;
const cpuOf = ({ user, system }: Turn) => user + system;

/** Measures all kinds of tokens on one server. */
async function measureRefused(run: Run): Promise<Figures> {
  const key = generateKey('HS256');
  const turns = await withServers(run, { [MINE]: { guard: MINE, key } }, async (stand) => {
    for (const kind of KINDS) {
      await stand.prepare(kind, prepareRequests(key, kind, 1));
      await stand.turns({ requests: kind }, WARM_UP_ROUNDS);
    }
    return alternate(KINDS, run.rounds, (kind) => stand.turn(MINE, { requests: kind }));
  });
  const costs = KINDS.map((kind) => [cost(kind), turnRatio(turns, kind, 'accepted', cpuOf)] as const);
  return { ...Object.fromEntries(costs), ...turnFigures('HS256', turns) };
}

export const refused: Row = {
  measures: 'requests that the guard refuses, beside accepted ones',
  targets: each(KINDS.slice(1).map(cost), { atMost: 1 }),
  measure: measureRefused,
  page: ([result]) =>
    markdownTable(
      ['token', ...TURN_HEAD],
      KINDS.map((kind) => [kind, ...turnCells(result?.figures ?? {}, 'HS256', kind)]),
    ),
};
