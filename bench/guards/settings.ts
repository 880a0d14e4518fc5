import type { CommandLine, Read } from '../harness/settings.js';

export const COMMAND_LINE = {
  command: 'npm run bench',
  settings: {
    rounds: { fallback: 7, most: 200, meaning: 'how often the guards take turns, of which the median is shown' },
    'slice-ms': { fallback: 500, least: 50, most: 60_000, meaning: 'how long a turn is counted' },
  },
  switches: {
    'express-5': 'on Express 5 alone',
    repeated: 'with one good token alone',
    'write-docs': 'puts the results into docs/performance.md and docs/performance.svg',
  },
} as const satisfies CommandLine<string, string>;

export type Settings = Read<keyof (typeof COMMAND_LINE)['settings'], keyof (typeof COMMAND_LINE)['switches']>;
