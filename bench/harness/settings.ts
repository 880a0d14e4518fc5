import { parseArgs } from 'node:util';

/** The settings of `npm run bench`. */
export interface Settings {
  /** The names of the rows to measure. */
  readonly rows: readonly string[];
  /** The version of Node.js that runs the servers. */
  readonly node: string;
  readonly blocks: number;
  /** `true` for the version and the number of blocks that docs/performance.md shows. */
  readonly isForPage: boolean;
}

const [NODE, BLOCKS] = ['24', '12'];

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
      node: { type: 'string', default: NODE },
      blocks: { type: 'string', default: BLOCKS },
    },
  });
  const { help, node } = values;
  if (help) return undefined;
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`There is not a row "${unknown}". The rows are: ${known.join(', ')}.`);
  }
  if (!/^\d+(\.\d+){0,2}$/.test(node)) throw new TypeError('--node needs a version such as 24 or 22.13.');
  const blocks = Number(values.blocks);
  if (!Number.isInteger(blocks) || blocks < 1 || blocks > 1_000) {
    throw new TypeError('--blocks must be a whole number from 1 to 1000.');
  }
  const rows = known.filter((name) => positionals.length === 0 || positionals.includes(name));
  return { rows, node, blocks, isForPage: node === NODE && values.blocks === BLOCKS };
}
