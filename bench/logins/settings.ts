import type { CommandLine, Read } from '../harness/settings.js';

export const COMMAND_LINE = {
  command: 'npm run bench -- logins',
  settings: {
    rounds: { fallback: 9, least: 0, most: 1_000, meaning: 'the rounds of login rates; 0 leaves these rows out' },
    'slice-ms': { fallback: 1_500, least: 200, most: 60_000, meaning: 'the time for which a rate is counted' },
    'flood-rounds': { fallback: 3, least: 0, most: 100, meaning: 'the rounds of the flood; 0 leaves these rows out' },
    identical: { fallback: 900, least: 0, most: 1_000, meaning: 'the identical logins; 0 leaves these rows out' },
    seconds: {
      fallback: 10,
      least: 0,
      most: 600,
      meaning: 'the time beside a greedy merchant, and beside strangers; 0 leaves these rows out',
    },
    burst: { fallback: 10_000, least: 0, most: 10_000, meaning: 'the logins at once; 0 leaves these rows out' },
    deadline: { fallback: 300, most: 86_400, meaning: 'the seconds after which a run that hangs is ended' },
  },
} as const satisfies CommandLine<string>;

export type Settings = Read<keyof (typeof COMMAND_LINE)['settings']>;
