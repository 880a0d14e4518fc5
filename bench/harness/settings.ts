import { parseArgs } from 'node:util';

/** A whole number that a run can be given. */
export interface Setting {
  readonly fallback: number;
  /** Default 1. */
  readonly least?: number;
  readonly most: number;
  readonly meaning: string;
}

/** What the command line of a benchmark knows. */
export interface CommandLine<Name extends string, Switch extends string = never> {
  /** As it is typed. */
  readonly command: string;
  /** Each is a flag and a variable of the environment: `--guarded-rate` and `BENCH_GUARDED_RATE`. */
  readonly settings: Readonly<Record<Name, Setting>>;
  /** Flags without a value, with their meaning. */
  readonly switches?: Readonly<Record<Switch, string>>;
}

export type Read<Name extends string, Switch extends string = never> = Readonly<
  Record<Name, number> & Record<Switch, boolean>
>;

/**
 * @returns what was asked for; `undefined` when that was help, which is then shown
 * @throws TypeError for an unknown option, or a number out of range
 */
export function readCommandLine<Name extends string, Switch extends string = never>(
  line: CommandLine<Name, Switch>,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Read<Name, Switch> | undefined {
  if (args.includes('--help')) {
    console.log(helpOf(line));
    return undefined;
  }
  const settings = Object.entries<Setting>(line.settings);
  const switches = Object.keys(line.switches ?? {});
  const options = Object.fromEntries<{ type: 'string' | 'boolean' }>([
    ...settings.map(([name]) => [name, { type: 'string' }] as const),
    ...switches.map((name) => [name, { type: 'boolean' }] as const),
  ]);
  const values: Readonly<Record<string, unknown>> = parseArgs({ args: [...args], options }).values;
  const numbers = settings.map(([name, setting]) => [name, numberOf(name, setting, values[name], env)] as const);
  const flags = switches.map((name) => [name, values[name] === true] as const);
  return Object.fromEntries<number | boolean>([...numbers, ...flags]) as Read<Name, Switch>;
}

function numberOf(name: string, { fallback, least = 1, most }: Setting, flag: unknown, env: NodeJS.ProcessEnv): number {
  const variable = `BENCH_${name.toUpperCase().replaceAll('-', '_')}`;
  const given = flag ?? env[variable];
  const value = given === undefined ? fallback : Number(given);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new TypeError(`--${name} (or ${variable}) must be a whole number from ${least} to ${most}.`);
}

function helpOf({ command, settings, switches = {} }: CommandLine<string, string>): string {
  const numbers = Object.entries(settings).map(
    ([name, { fallback, meaning }]) => `  --${name} <number>: ${meaning} (${fallback})`,
  );
  const flags = Object.entries(switches).map(([name, meaning]) => `  --${name}: ${meaning}`);
  return [`${command} -- [options]`, ...numbers, ...flags].join('\n');
}
