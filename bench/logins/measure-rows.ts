import { setTimeout as sleep } from 'node:timers/promises';
import { type Answers, countOf, countsText } from '../flood/answers.js';
import { measureBurst } from '../flood/measure-burst.js';
import type { Pattern } from '../flood/merchants.js';
import { type Load, type Served, startGuardedClient, startLoad, startServer } from '../flood/processes.js';
import { lookupP50, ratioOf, readFileP50 } from '../flood/report.js';
import { measureRounds, problemsOf } from '../flood/rounds.js';
import { collect, named } from '../harness/problems.js';
import { percentile, spreadOf } from '../harness/statistics.js';
import { figure, spreadText } from '../harness/table.js';
import { measureRates, rateProblems, rateRatio } from './measure-rates.js';
import { atLeast, atMost, type Measured } from './rows.js';
import type { Settings } from './settings.js';

const GUARDED_PER_SECOND = 100;
const FLOOD = { seconds: 3, callers: 64, 'guarded-rate': GUARDED_PER_SECOND };
const GREEDY_CALLERS = 300;
const IDENTICAL_ROUNDS = 5;
const WARM_UP_MS = 1_500;

export async function measureRate({ rounds, 'slice-ms': sliceMs }: Settings): Promise<Measured> {
  const sides = ['login', 'login, one slot more', 'bare Express'] as const;
  const turns = await measureRates(sides, { rounds, sliceMs, callers: 8 });
  const over = (side: (typeof sides)[number]) => rateRatio(turns[side], turns['bare Express']).rate;
  const rates = sides.map((side) => `${side} ${spreadText(spreadOf(turns[side].map(({ perSecond }) => perSecond)))}`);
  return {
    rows: [
      { title: 'logins over bare Express, 8 callers', measured: over('login'), goal: atLeast(0.95) },
      {
        title: 'logins over bare Express, one hash slot more than cores',
        measured: over('login, one slot more'),
        goal: atLeast(0.95),
      },
    ],
    problems: rateProblems(turns),
    summary: `a second: ${rates.join(', ')}`,
  };
}

/** Measures a file read and a name lookup during a flood, beside the same flood with unbounded hashes. */
export async function measureWaiting({ 'flood-rounds': rounds }: Settings): Promise<Measured> {
  const [load, guarded] = [startLoad(), startGuardedClient()];
  try {
    const stages = ['bounded', 'one slot more', 'unbounded'] as const;
    const turns = await measureRounds(stages, load, guarded, { ...FLOOD, rounds });
    const titles = { bounded: 'default slots', 'one slot more': 'one slot more' };
    const rows = Object.entries(titles).flatMap(([stage, slots]) => {
      const above = stage as keyof typeof titles;
      return [
        { title: `fs.readFile p50, ${slots}`, measured: ratioOf(turns, readFileP50, above, 'unbounded') },
        { title: `dns.lookup p50, ${slots}`, measured: ratioOf(turns, lookupP50, above, 'unbounded') },
      ];
    });
    return {
      rows: rows.map((row) => ({ ...row, title: `flood: ${row.title}, over unbounded`, goal: atMost(0.02) })),
      problems: problemsOf(turns),
      summary: `${FLOOD.callers} callers`,
    };
  } finally {
    await Promise.all([load.end(), guarded.end()]);
  }
}

/**
 * Measures identical logins at once, beside three hashes one after the other and as many requests that are refused with 400
 * after their body was read.
 */
export function measureIdentical({ identical }: Settings): Promise<Measured> {
  return withStand('one merchant', async ({ served, load }) => {
    const { port, remote } = served;
    const rounds = [];
    const problems: Record<string, number> = {};
    await load.call('connectBurst', { port, logins: identical });
    // The first round warms up.
    for (let round = 0; round <= IDENTICAL_ROUNDS; round += 1) {
      const { perSecond } = await remote.call('verifyAlone', { callers: 1, settleMs: 100, ms: 400 });
      const refused = await load.call('offerBurst', { pattern: 'invalid body' });
      const logins = await load.call('offerBurst', { pattern: 'one merchant' });
      collect(problems, { ...named('login', logins.problems), ...named('refused', refused.problems) });
      rounds.push({ hashesMs: 3000 / perSecond, refusedMs: refused.lastMs, loginsMs: logins.lastMs, logins });
    }
    await load.call('endBurst');
    const counted = rounds.slice(1);
    const ratio = spreadOf(counted.map(({ hashesMs, refusedMs, loginsMs }) => loginsMs / (hashesMs + refusedMs)));
    const busy = counted.reduce((total, { logins }) => total + countOf(logins, 503), 0);
    const medianOf = (name: 'hashesMs' | 'refusedMs' | 'loginsMs') =>
      `${figure(spreadOf(counted.map((round) => round[name])).median)} ms`;
    return {
      rows: [
        { title: `${identical} identical logins over 3 hashes and as many 400`, measured: ratio, goal: atMost(1) },
        { title: `503 among ${IDENTICAL_ROUNDS} times ${identical} identical logins`, measured: busy, goal: atMost(0) },
      ],
      problems,
      summary: `${medianOf('loginsMs')}; 3 hashes ${medianOf('hashesMs')}, 400 ${medianOf('refusedMs')}`,
    };
  });
}

/** Measures the logins of others beside many logins of one merchant, or of many accounts behind one source. */
export function measureGreedy({ seconds }: Settings, pattern: 'one merchant' | 'one source'): Promise<Measured> {
  return withStand(pattern, async ({ served, load, others }) => {
    const { port } = served;
    await load.call('startFlood', { port, count: GREEDY_CALLERS, pattern });
    await others.call('startArrivals', { port, perSecond: 5, pattern: 'many sources' });
    await sleep(seconds * 1000);
    const answers = await others.call('endArrivals');
    const greedy = await load.call('recountFlood');
    await load.call('endFlood');
    const title = pattern === 'one merchant' ? '300 logins of one merchant' : '300 accounts behind one source';
    return besides(`${title}: others without 200`, answers, greedy);
  });
}

/** Measures the logins of a known merchant beside strangers from many sources. */
export function measureStrangers({ seconds }: Settings): Promise<Measured> {
  return withStand('one merchant', async ({ served, load, others }) => {
    const { port } = served;
    await load.call('startArrivals', { port, perSecond: 200, pattern: 'strangers' });
    await others.call('startArrivals', { port, perSecond: 2, pattern: 'one merchant' });
    await sleep(seconds * 1000);
    const answers = await others.call('endArrivals');
    return besides('200 strangers a second: known merchant without 200', answers, await load.call('endArrivals'));
  });
}

export async function measureBurstRows({ burst }: Settings): Promise<Measured> {
  const [load, guarded] = [startLoad(), startGuardedClient()];
  try {
    const figures = await measureBurst(load, guarded, { burst, 'guarded-rate': GUARDED_PER_SECOND });
    const { blockedMs, guarded: meanwhile, admitted, unanswered, problems } = figures;
    const title = `${burst} logins at once`;
    return {
      rows: [
        { title: `${title}: event loop blocked, ms`, measured: blockedMs, goal: atMost(1_000) },
        { title: `${title}: guarded p50, ms`, measured: meanwhile.p50, goal: atMost(20) },
        {
          title: `${title}: admitted without 200 or 401`,
          measured: admitted === 0 ? Number.NaN : unanswered,
          goal: atMost(0),
        },
      ],
      problems,
      summary: `${countsText(figures)}; ${admitted} admitted; blocked ${figure(figures.blockedAfterwardsMs)} ms in the 2 s after`,
    };
  } finally {
    await Promise.all([load.end(), guarded.end()]);
  }
}

/** A new server that has worked for a while, and two processes that log in. */
interface Stand {
  readonly served: Served;
  readonly load: Load;
  readonly others: Load;
}

async function withStand(warmUp: Pattern, measure: (stand: Stand) => Promise<Measured>): Promise<Measured> {
  const [load, others, served] = [startLoad(), startLoad(), await startServer('bounded')];
  try {
    await load.call('startFlood', { port: served.port, count: 8, pattern: warmUp });
    await sleep(WARM_UP_MS);
    await load.call('endFlood');
    return await served.remote.whileAlive(measure({ served, load, others }));
  } finally {
    await Promise.all([load.end(), others.end(), served.remote.end()]);
  }
}

/** The row of logins beside a load. It is not met when there were none. */
function besides(title: string, answers: Answers, load: Answers | null): Measured {
  const failed = answers.ended - countOf(answers, 200);
  const slowest = figure(percentile(answers.milliseconds, 1));
  return {
    rows: [{ title, measured: answers.ended === 0 ? Number.NaN : failed, goal: atMost(0) }],
    problems: { ...named(title, answers.problems), ...named('load', load?.problems ?? {}) },
    summary: `${countsText(answers)}, slowest ${slowest} ms; the load ${load === null ? '-' : countsText(load)}`,
  };
}
