import type { CommandLine } from '../harness/settings.js';

export const GROUPS = ['guards', 'memory', 'logins', 'flood', 'accounts'] as const;
/** What is measured together. */
export type Group = (typeof GROUPS)[number];

export const COMMAND_LINE = {
  command: 'npm run bench:quick',
  settings: {
    sets: { fallback: 3, most: 50, meaning: 'how often the processes of the guards are started, which differ in luck' },
    rounds: { fallback: 4, most: 200, meaning: 'how often the guards of a set take turns; the median of all is shown' },
    'slice-ms': { fallback: 300, least: 50, most: 10_000, meaning: 'how long a turn is counted' },
    'login-rounds': { fallback: 6, most: 100, meaning: 'how often logins take turns with the hash library alone' },
    'flood-rounds': { fallback: 4, most: 100, meaning: 'how often the stages of the flood are repeated' },
  },
  switches: {
    guards: 'only the rows on guards, and those of other switches that are given',
    memory: 'only the row on memory, likewise',
    logins: 'only the row on logins, likewise',
    flood: 'only the rows on the flood, likewise',
    accounts: 'only the row on accounts in PostgreSQL, likewise',
    'write-docs': 'puts the rows into docs/performance.md',
  },
} as const satisfies CommandLine<string, Group | 'write-docs'>;
