import { parseArgs } from 'node:util';

/** The settings of `npm run bench`. */
export interface Settings {
  /** The names of the rows to measure. */
  readonly rows: readonly string[];
  /** The lines of Node.js that run the servers. Empty: the version that runs the command. */
  readonly nodes: readonly string[];
  readonly rounds: number;
  /** Writes the figures into docs/performance.md. */
  readonly write: boolean;
}

/**
 * @returns the settings, or `undefined` when the arguments ask for help
 * @throws TypeError for an unknown row or option, or a number out of range
 */
export function readSettings(args: readonly string[], known: readonly string[]): Settings | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      node: { type: 'string' },
      rounds: { type: 'string', default: '12' },
      write: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`There is not a row "${unknown}". The rows are: ${known.join(', ')}.`);
  }
  const nodes = values.node?.split(',') ?? [];
  if (!nodes.every((line) => /^\d+(\.\d+){0,2}$/.test(line))) {
    throw new TypeError('--node needs versions such as 24 or 24,22.');
  }
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 1_000) {
    throw new TypeError('--rounds must be a whole number from 1 to 1000.');
  }
  const rows = known.filter((name) => positionals.length === 0 || positionals.includes(name));
  return { rows, nodes, rounds, write: values.write };
}
