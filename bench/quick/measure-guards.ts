import type { GuardName } from '../guards/guards.js';
import { ALGORITHMS, type BenchAlgorithm, type BenchKeys, generateKeys } from '../guards/keys.js';
import {
  endGuardServer,
  type GuardLoad,
  type GuardServer,
  startGuardLoad,
  startGuardServer,
} from '../guards/processes.js';
import type { TokenKind } from '../guards/requests.js';
import {
  alternate,
  type Contender,
  type Pace,
  problemsOf,
  ratioOf,
  takeTurn,
  takeTurns,
  type Turns,
} from '../guards/turns.js';
import { collect } from '../harness/problems.js';
import { stage } from '../harness/progress.js';
import { figure } from '../harness/table.js';
import type { Measured, RowName } from './targets.js';

type GuardRow = Extract<RowName, `over${string}` | 'newOverPassportKeyObject' | 'refusedOverAccepted'>;
export type GuardFigures = Record<GuardRow, Record<string, Measured>>;

const MINE = 'complete guard' satisfies GuardName;
const PEER_OF_NEW = 'passport-jwt, KeyObject' satisfies GuardName;

/** The servers that each algorithm needs. */
const COMPARED: Readonly<Record<BenchAlgorithm, readonly GuardName[]>> = {
  HS256: [MINE, 'bare', 'express-jwt', 'express-oauth2-jwt-bearer', 'passport-jwt, KeyObject', 'passport-jwt, string'],
  RS256: [MINE, 'bare', 'express-jwt', 'express-oauth2-jwt-bearer'],
  ES256: [MINE, 'bare'],
};
const ROW_OF: Readonly<Partial<Record<GuardName, GuardRow>>> = {
  bare: 'overBare',
  'express-jwt': 'overExpressJwt',
  'express-oauth2-jwt-bearer': 'overOauth2Bearer',
  'passport-jwt, string': 'overPassportString',
};
const REFUSED: Readonly<Record<string, TokenKind>> = {
  'no token': 'missing',
  garbage: 'garbage',
  'bad signature': 'bad signature',
};
const WARM_UP: Pace = { rounds: 4, sliceMs: 300 };

interface Stand {
  readonly load: GuardLoad;
  readonly keys: BenchKeys;
  readonly pace: Pace;
  readonly problems: Record<string, number>;
}

/** The turns of all sets of processes, of each kind that an algorithm has. */
interface Seen {
  readonly good: Turns<GuardName>[];
  readonly eachNew: Turns<GuardName>[];
  readonly refused: Turns<string>[];
}

export async function measureGuards({ sets, ...pace }: Pace & { readonly sets: number }): Promise<{
  readonly figures: GuardFigures;
  readonly problems: Readonly<Record<string, number>>;
}> {
  const stand: Stand = { load: startGuardLoad(), keys: generateKeys(), pace, problems: {} };
  const figures: GuardFigures = {
    overBare: {},
    overExpressJwt: {},
    overOauth2Bearer: {},
    overPassportString: {},
    newOverPassportKeyObject: {},
    refusedOverAccepted: {},
  };
  try {
    for (const algorithm of ALGORITHMS) {
      await stage(
        `guards, ${algorithm}`,
        async () => {
          const seen: Seen = { good: [], eachNew: [], refused: [] };
          for (let set = 0; set < sets; set += 1) await measureSet(stand, algorithm, seen);
          fillIn(figures, algorithm, seen);
        },
        () => `complete guard ${figure(figures.overBare[algorithm]?.value ?? Number.NaN)} of bare`,
      );
    }
    return { figures, problems: stand.problems };
  } finally {
    await stand.load.end();
  }
}

/** One set of processes: each is as fast as its luck with memory and compilation lets it be, for as long as it lives. */
async function measureSet(stand: Stand, algorithm: BenchAlgorithm, seen: Seen): Promise<void> {
  const { load, keys, pace } = stand;
  const servers = new Map<GuardName, GuardServer>();
  const good = { keys, algorithm, kind: 'good', variety: 'repeated' } as const;
  const contenders = (names: readonly GuardName[]) =>
    [...servers]
      .filter(([name]) => names.includes(name))
      .map(([name, server]): Contender<GuardName> => ({ name, server, status: 201 }));
  try {
    for (const guard of COMPARED[algorithm]) {
      servers.set(guard, await startGuardServer(load, { guard, major: 5, algorithm, keys }));
    }
    await takeTurns(load, contenders(COMPARED[algorithm]), good, WARM_UP);

    seen.good.push(noteProblems(stand, await takeTurns(load, contenders(COMPARED[algorithm]), good, pace)));
    if (algorithm !== 'HS256') return;

    const eachNew = { ...good, variety: 'new' } as const;
    seen.eachNew.push(noteProblems(stand, await takeTurns(load, contenders([MINE, PEER_OF_NEW]), eachNew, pace)));

    const server = servers.get(MINE);
    if (server !== undefined) seen.refused.push(await measureRefused(stand, server));
  } finally {
    for (const server of servers.values()) await endGuardServer(load, server);
  }
}

/** All kinds on one server, in turn. */
async function measureRefused(stand: Stand, server: GuardServer): Promise<Turns<string>> {
  const { load, keys, pace } = stand;
  const contenders: Contender<string>[] = [];
  for (const [name, kind] of Object.entries({ accepted: 'good', ...REFUSED } as Readonly<Record<string, TokenKind>>)) {
    await load.call('prepare', { names: [name], wanted: { keys, algorithm: 'HS256', kind, count: 1 } });
    contenders.push({ name, server, status: kind === 'good' ? 201 : 401 });
  }
  const turn = (contender: Contender<string>) => takeTurn(load, contender, { ms: pace.sliceMs, repeats: true });
  await alternate(contenders, { rounds: 2 }, turn);
  return noteProblems(stand, await alternate(contenders, pace, turn));
}

/** The median over all rounds of all sets. */
function fillIn(figures: GuardFigures, algorithm: BenchAlgorithm, { good, eachNew, refused }: Seen): void {
  for (const [guard, row] of Object.entries(ROW_OF) as [GuardName, GuardRow][]) {
    if (COMPARED[algorithm].includes(guard)) figures[row][algorithm] = measuredOf(good, MINE, guard);
  }
  if (eachNew.length > 0) figures.newOverPassportKeyObject[algorithm] = measuredOf(eachNew, MINE, PEER_OF_NEW);
  if (refused.length === 0) return;
  for (const name of Object.keys(REFUSED)) figures.refusedOverAccepted[name] = measuredOf(refused, name, 'accepted');
}

function measuredOf<Name extends string>(sets: readonly Turns<Name>[], above: Name, below: Name): Measured {
  const { rate, cpu } = ratioOf(
    sets.flatMap((turns) => turns[above]),
    sets.flatMap((turns) => turns[below]),
  );
  return { value: rate.median, cpu: cpu.median };
}

function noteProblems<Name extends string>({ problems }: Stand, turns: Turns<Name>): Turns<Name> {
  collect(problems, problemsOf(turns));
  return turns;
}
