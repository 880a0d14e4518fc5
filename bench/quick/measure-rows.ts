import { measureAccounts } from '../accounts/measure-accounts.js';
import { startGuardedClient, startLoad } from '../flood/processes.js';
import { ratiosOf } from '../flood/report.js';
import { measureRounds, problemsOf as floodProblems } from '../flood/rounds.js';
import { STAGES } from '../flood/stages.js';
import { problemsOf, ratioOf } from '../guards/turns.js';
import type { Problems } from '../harness/problems.js';
import { stage } from '../harness/progress.js';
import { figure } from '../harness/table.js';
import { measureRates, rateProblems, rateRatio, type RateTurns } from '../logins/measure-rates.js';
import { measureMemory, SEEN } from '../memory/measure-memory.js';
import { measureGuards } from './measure-guards.js';
import type { Group } from './settings.js';
import type { Figures, RowName } from './targets.js';

/** How often each is repeated. */
export interface Pace {
  readonly sets: number;
  readonly rounds: number;
  readonly sliceMs: number;
  readonly loginRounds: number;
  readonly floodRounds: number;
}

/** Rows, and what went wrong while they were measured. */
export interface Rows {
  readonly figures: Readonly<Partial<Record<RowName, Figures>>>;
  readonly problems: Problems;
}

/** Which rows a group has, and how they are measured. */
interface Measurement {
  readonly rows: readonly RowName[];
  readonly measure: (pace: Pace) => Promise<Rows>;
}

const MEGABYTE = 1e6;

const LOGIN_SIDES = ['login', 'hash library alone'] as const;
const loginRatio = (turns: RateTurns<(typeof LOGIN_SIDES)[number]>) =>
  rateRatio(turns.login, turns['hash library alone']);

export const MEASUREMENTS: Readonly<Record<Group, Measurement>> = {
  guards: {
    rows: [
      'overBare',
      'overExpressJwt',
      'overOauth2Bearer',
      'overPassportString',
      'newOverPassportKeyObject',
      'refusedOverAccepted',
    ],
    measure: measureGuards,
  },
  memory: {
    rows: ['memory'],
    async measure() {
      const { heldAfter } = await stage(
        'memory',
        measureMemory,
        ({ heldAfter: held }) => `${Object.keys(held).join(', ')} tokens seen`,
      );
      const held = (seen: number) => (heldAfter[seen] ?? Number.NaN) / MEGABYTE;
      const growth = held(SEEN.many) - held(SEEN.some);
      return { figures: { memory: { held: { value: held(SEEN.live) }, growth: { value: growth } } }, problems: {} };
    },
  },
  logins: {
    rows: ['logins'],
    async measure({ loginRounds }) {
      const turns = await stage(
        'logins beside the hash library alone',
        () => measureRates(LOGIN_SIDES, { rounds: loginRounds, sliceMs: 1_600, callers: 8 }),
        (all) => figure(loginRatio(all).rate.median),
      );
      const { rate, cpu } = loginRatio(turns);
      const ratio = { value: rate.median, cpu: cpu.median };
      return { figures: { logins: { ratio } }, problems: rateProblems(turns) };
    },
  },
  flood: {
    rows: ['waiting', 'loginsInFlood', 'guardedInFlood'],
    async measure({ floodRounds }) {
      const [load, guarded] = [startLoad(), startGuardedClient()];
      const settings = { seconds: 2, rounds: floodRounds, callers: 64, 'guarded-rate': 100 };
      try {
        const rounds = await measureRounds(STAGES, load, guarded, settings);
        const ratios = ratiosOf(rounds);
        const valueOf = (name: keyof typeof ratios) => ({ value: ratios[name].median });
        return {
          figures: {
            waiting: {
              'fs.readFile': valueOf('fs.readFile p50, bounded over unbounded'),
              'dns.lookup': valueOf('dns.lookup p50, bounded over unbounded'),
            },
            loginsInFlood: { ratio: valueOf('good logins per second, bounded over unbounded') },
            guardedInFlood: { ratio: valueOf('guarded p99, bounded over idle') },
          },
          problems: floodProblems(rounds),
        };
      } finally {
        await Promise.all([load.end(), guarded.end()]);
      }
    },
  },
  accounts: {
    rows: ['accounts'],
    async measure(pace) {
      const turns = await stage(
        'accounts in PostgreSQL',
        () => measureAccounts({ ...pace, rounds: pace.sets * pace.rounds }),
        ({ few, many }) => figure(ratioOf(few, many).rate.median),
      );
      const { rate, cpu } = ratioOf(turns.few, turns.many);
      return {
        figures: { accounts: { ratio: { value: rate.median, cpu: cpu.median } } },
        problems: problemsOf(turns),
      };
    },
  },
};
