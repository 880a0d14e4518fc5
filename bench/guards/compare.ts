import { drawSvg, figure, markdownTable, spread } from '../harness/report.js';
import { each, type Figures, isCurrent, majorOf, type Result, type Row, type Run } from '../harness/rows.js';
import type { Spread } from '../harness/statistics.js';
import { TURN_HEAD, turnCells, turnFigures, turnRatio, type Turns } from '../harness/turns.js';
import type { GuardName } from './applications.js';
import { type Algorithm, ALGORITHMS, generateKey } from './keys.js';
import { prepareRequests } from './requests.js';
import { WARM_UP_ROUNDS, withServers } from './stand.js';

const MINE = 'complete guard';
const BARE = 'bare Express';

type Compared = Readonly<{ names: readonly GuardName[]; algorithms: readonly Algorithm[] }>;
const SET_IMMEDIATE = 'bare Express, setImmediate';
const OTHERS = ['express-oauth2-jwt-bearer', 'passport-jwt, KeyObject', 'passport-jwt, string'] as const;
/** The guards that take turns from Node.js 24 on, and those before it. */
const CURRENT: Compared = { names: [MINE, BARE, SET_IMMEDIATE, 'express-jwt', ...OTHERS], algorithms: ALGORITHMS };
const OLDER: Compared = {
  names: [MINE, BARE, SET_IMMEDIATE, 'bare Express, dictionary mode', 'express-jwt'],
  algorithms: ['HS256', 'RS256'],
};

/** The processes start anew so often, because the speed of a process depends on its luck with memory and compilation. */
const SETS = 2;

const over = (algorithm: Algorithm, above: GuardName, below: GuardName) => `${algorithm}, ${above} over ${below}`;

async function measure(run: Run): Promise<Figures> {
  const { names, algorithms } = isCurrent(run.node) ? CURRENT : OLDER;
  const figures: Record<string, Spread> = {};
  for (const algorithm of algorithms) {
    const key = generateKey(algorithm);
    const setups = Object.fromEntries(names.map((name) => [name, { guard: name, key }]));
    const sets: Turns[] = [];
    for (let set = 0; set < SETS; set += 1) {
      const turns = await withServers(run, setups, async (stand) => {
        await stand.prepare(algorithm, prepareRequests(key, 'accepted', 1));
        await stand.turns({ requests: algorithm }, WARM_UP_ROUNDS);
        return stand.turns({ requests: algorithm }, Math.ceil(run.rounds / SETS));
      });
      sets.push(turns);
    }
    const turns = Object.fromEntries(names.map((name) => [name, sets.flatMap((set) => set[name] ?? [])]));
    Object.assign(figures, turnFigures(algorithm, turns));
    for (const name of names) {
      figures[over(algorithm, MINE, name)] = turnRatio(turns, MINE, name);
      figures[over(algorithm, name, BARE)] = turnRatio(turns, name, BARE);
    }
  }
  return figures;
}

function ratioTable(lines: readonly Result[], { names, algorithms }: Compared): string {
  const columns = lines.flatMap((line) => algorithms.map((algorithm) => ({ line, algorithm })));
  return markdownTable(
    ['', ...columns.map(({ line, algorithm }) => `Node.js ${majorOf(line)}, ${algorithm}`)],
    names.map((name) => [
      name,
      ...columns.map(({ line, algorithm }) => spread(line.figures[over(algorithm, name, BARE)])),
    ]),
  );
}

/** Shows each current line of Node.js in two tables, and the older ones together in a small one. */
function page(results: readonly Result[]): string {
  const older = results.filter((line) => !isCurrent(line));
  const parts = results.filter(isCurrent).flatMap((line) => [
    `Node.js ${line.version}, requests per second relative to bare Express:`,
    ratioTable([line], CURRENT),
    'The same with HS256 in absolute figures:',
    markdownTable(
      ['', ...TURN_HEAD],
      CURRENT.names.map((name) => [name, ...turnCells(line.figures, 'HS256', name)]),
    ),
  ]);
  if (older.length === 0) return parts.join('\n\n');
  const title = `Node.js ${older.map(({ version }) => version).join(' and ')}, relative to bare Express:`;
  return [...parts, title, ratioTable(older, OLDER)].join('\n\n');
}

/** Draws a bar for each guard, on the current lines of Node.js. */
function drawChart(results: readonly Result[]): Promise<string> {
  const values = results.filter(isCurrent).flatMap((line) =>
    OLDER.algorithms.flatMap((algorithm) =>
      CURRENT.names.map((guard) => {
        const ratio = line.figures[over(algorithm, guard, BARE)]?.median ?? 0;
        const run = `Node.js ${majorOf(line)}, ${algorithm}`;
        return { run, guard, ratio, label: figure(ratio), isMine: guard === MINE };
      }),
    ),
  );
  const color = { condition: { test: 'datum.isMine', value: '#1f6f54' }, value: '#b8bfc6' };
  return drawSvg({
    title: { text: 'Requests per second, bare Express is 1', anchor: 'start' },
    data: { values },
    facet: { row: { field: 'run', sort: null, title: null, header: { labelAngle: 0, labelAlign: 'left' } } },
    spec: {
      width: 460,
      height: { step: 24 },
      encoding: {
        y: { field: 'guard', type: 'nominal', sort: [...CURRENT.names], title: null, axis: { labelLimit: 320 } },
        x: { field: 'ratio', type: 'quantitative', title: null },
      },
      layer: [
        { mark: { type: 'bar', cornerRadiusEnd: 2 }, encoding: { color } },
        { mark: { type: 'text', align: 'left', dx: 4 }, encoding: { text: { field: 'label' } } },
      ],
    },
    config: { axis: { domain: false, ticks: false } },
  });
}

const overAll = (below: GuardName, atLeast: number) =>
  each(
    ALGORITHMS.map((algorithm) => over(algorithm, MINE, below)),
    { atLeast },
  );

export const guards: Row = {
  measures: 'all guards, with one good token',
  targets: {
    ...overAll(BARE, 1.5),
    ...overAll(SET_IMMEDIATE, 0.92),
    ...overAll('express-oauth2-jwt-bearer', 3),
    [over('HS256', MINE, 'express-jwt')]: { atLeast: 1.3 },
    [over('RS256', MINE, 'express-jwt')]: { atLeast: 2 },
  },
  onEachNode: true,
  measure,
  page,
  picture: { file: 'performance.svg', draw: drawChart },
};
