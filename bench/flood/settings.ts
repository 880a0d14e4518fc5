import { parseArgs } from 'node:util';

interface Setting {
  readonly fallback: number;
  readonly most: number;
  readonly meaning: string;
}

/** Each is a flag and a variable of the environment: `--guarded-rate` and `BENCH_GUARDED_RATE`. */
const SETTINGS = {
  seconds: { fallback: 3, most: 600, meaning: 'how long each stage is measured, after one second to settle' },
  rounds: {
    fallback: 5,
    most: 100,
    meaning: 'how often the stages are repeated, of which the median is shown; 0 for none',
  },
  callers: { fallback: 64, most: 1_000, meaning: 'how many log in at a time, each again as soon as it is answered' },
  burst: { fallback: 10_000, most: 25_000, meaning: 'how many logins are offered at once at the end; 0 for none' },
  'guarded-rate': { fallback: 100, most: 2_000, meaning: 'guarded requests a second, all the while' },
} as const satisfies Record<string, Setting>;

export type Settings = Readonly<Record<keyof typeof SETTINGS, number>>;

export const HELP = [
  'npm run bench:flood -- [options]',
  ...Object.entries(SETTINGS).map(([name, { fallback, meaning }]) => `  --${name} <number>: ${meaning} (${fallback})`),
].join('\n');

/** @throws TypeError for an unknown option, or a number out of range */
export function readSettings(args: readonly string[], env: NodeJS.ProcessEnv): Settings {
  const options = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, { type: 'string' } as const]));
  const { values } = parseArgs({ args: [...args], options });
  const read = ([name, { fallback, most }]: [string, Setting]) => {
    const variable = `BENCH_${name.toUpperCase().replaceAll('-', '_')}`;
    const given = values[name] ?? env[variable];
    const value = given === undefined ? fallback : Number(given);
    const least = name === 'rounds' || name === 'burst' ? 0 : 1;
    if (!(Number.isInteger(value) && value >= least && value <= most)) {
      throw new TypeError(`--${name} (or ${variable}) must be a whole number from ${least} to ${most}.`);
    }
    return [name, value];
  };
  return Object.fromEntries(Object.entries(SETTINGS).map(read)) as Settings;
}
