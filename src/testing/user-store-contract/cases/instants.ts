import { types } from 'node:util';
import { demand, show } from '../messages.js';
import { merchant } from '../merchants.js';
import type { SeedAccount } from '../store-under-test.js';
import type { StoreCases, Trial } from '../trial.js';

/** A column of whole seconds would change all but the first. */
const FRACTIONS = [0, 1, 499, 500, 999].map((milliseconds) => new Date(Date.UTC(2026, 0, 15, 12, 0, 0, milliseconds)));

const seedInstants = (trial: Trial, instants: readonly (Date | null)[]) =>
  trial.seed(instants.map((instant, index) => merchant(index + 1, { tokensValidAfter: instant })));

/** In New York and in Berlin, where a local time can have two meanings or none. */
const AROUND_CLOCK_CHANGES = [
  '2026-11-01T05:30:00.000Z',
  '2026-11-01T06:30:00.000Z',
  '2026-03-08T06:30:00.000Z',
  '2026-03-08T07:30:00.000Z',
  '2026-10-25T00:30:00.000Z',
  '2026-10-25T01:30:00.000Z',
  '2026-03-29T00:30:00.000Z',
  '2026-03-29T01:30:00.000Z',
  '2026-07-15T12:00:00.000Z',
].map((time) => new Date(time));

/** In milliseconds. */
async function lateness(trial: Trial, seeded: SeedAccount): Promise<number> {
  const { tokensValidAfter } = await trial.accountOf(seeded);
  return Number(tokensValidAfter?.getTime?.()) - Number(seeded.tokensValidAfter?.getTime());
}

const isKept = (late: number) => late >= 0 && late < 1000;

/** Another case checks the type of the value. */
function millisecondsOf(value: unknown): number | undefined {
  return types.isDate(value) ? value.getTime() : undefined;
}

export function showInstant(value: unknown): string {
  return types.isDate(value) && !Number.isNaN(value.getTime()) ? value.toISOString() : show(value);
}

async function inZone<Result>(zone: string, call: () => Promise<Result>): Promise<Result> {
  const { TZ: before } = process.env;
  process.env['TZ'] = zone;
  try {
    return await call();
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
}

export const instantCases: StoreCases = {
  'tokensValidAfter is null or absent when there is no such instant': async (trial) => {
    const seeded = await trial.seedOne(merchant(1, { tokensValidAfter: null }));
    const { tokensValidAfter } = await trial.accountOf(seeded);
    demand(
      tokensValidAfter == null,
      `findById(${show(seeded.id)}) returned ${show(tokensValidAfter)} as tokensValidAfter, where null is stored. ` +
        'Return null, and make no Date of it: new Date(null) is 1970.',
    );
  },
  'tokensValidAfter is a Date': async (trial) => {
    const [seeded = merchant(1)] = await seedInstants(trial, FRACTIONS);
    const { tokensValidAfter } = await trial.accountOf(seeded);
    demand(
      types.isDate(tokensValidAfter) && !Number.isNaN(tokensValidAfter.getTime()),
      `findById(${show(seeded.id)}) returned ${show(tokensValidAfter)} as tokensValidAfter. Return a valid Date.`,
    );
  },
  'tokensValidAfter is not before the instant that is stored, and less than a second after it': async (trial) => {
    for (const seeded of await seedInstants(trial, FRACTIONS)) {
      const late = await lateness(trial, seeded);
      demand(
        Number.isNaN(late) || isKept(late),
        `findById(${show(seeded.id)}) returned a tokensValidAfter ${Math.abs(late)} ms ${late < 0 ? 'before' : 'after'} the ` +
          'instant that is stored. Keep milliseconds, as in DATETIME(3) and timestamptz, or round up to a second, never ' +
          'down: tokens of the moment before would stay good.',
      );
    }
  },
  'tokensValidAfter is the same instant in any time zone': async (trial) => {
    const accounts = await inZone('America/New_York', () => seedInstants(trial, AROUND_CLOCK_CHANGES));
    for (const seeded of accounts) {
      const late = await inZone('Asia/Kolkata', () => lateness(trial, seeded));
      demand(
        Number.isNaN(late) || isKept(late),
        `findById(${show(seeded.id)}) returned a tokensValidAfter ${late / 3_600_000} hours away from the instant that is ` +
          'stored. It is written or read in the time zone of a process or a session. Use timestamptz in PostgreSQL; in ' +
          "MySQL, timezone: 'Z' in the driver and time_zone = '+00:00' in the session.",
      );
    }
  },
  'findCredentials and findById give the same tokensValidAfter, to the millisecond': async (trial) => {
    for (const seeded of await seedInstants(trial, [null, ...FRACTIONS])) {
      const { account } = await trial.credentialsOf(seeded);
      // A missing account fails another case.
      if (account == null) continue;
      const atLogin: unknown = account.tokensValidAfter;
      const byId: unknown = (await trial.accountOf(seeded)).tokensValidAfter;
      demand(
        Object.is(millisecondsOf(atLogin), millisecondsOf(byId)),
        `findCredentials(${show(seeded.email)}) and findById(${show(seeded.id)}) differ in tokensValidAfter: ` +
          `${showInstant(atLogin)} and ${showInstant(byId)}. Read both from the same column, with one function: a token ` +
          'carries the value of its login, and the guard refuses a new token while findById returns another one.',
      );
    }
  },
};
