import type { CommandLine, Read } from '../harness/settings.js';

export const COMMAND_LINE = {
  command: 'npm run bench:flood',
  settings: {
    seconds: { fallback: 3, most: 600, meaning: 'how long each stage is measured, after one second to settle' },
    rounds: {
      fallback: 5,
      least: 0,
      most: 100,
      meaning: 'how often the stages are repeated, of which the median is shown; 0 for none',
    },
    callers: { fallback: 64, most: 1_000, meaning: 'how many log in at a time, each again as soon as it is answered' },
    burst: {
      fallback: 10_000,
      least: 0,
      most: 25_000,
      meaning: 'how many logins are offered at once at the end; 0 for none',
    },
    'guarded-rate': { fallback: 100, most: 2_000, meaning: 'guarded requests a second, all the while' },
  },
} as const satisfies CommandLine<string>;

export type Settings = Read<keyof (typeof COMMAND_LINE)['settings']>;
