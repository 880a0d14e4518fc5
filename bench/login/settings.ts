import type { CommandLine } from '../harness/settings.js';

export const COMMAND_LINE = {
  command: 'npm run bench:login',
  settings: {
    rounds: { fallback: 15, most: 1_000, meaning: 'how often the sides take turns, of which the median is shown' },
    'slice-ms': { fallback: 3_000, least: 200, most: 60_000, meaning: 'how long a turn is counted' },
    callers: { fallback: 8, most: 1_000, meaning: 'how many log in, or verify, at a time' },
    'max-concurrent-hashes': {
      fallback: 0,
      least: 0,
      most: 1_000,
      meaning: "how many hashes a login server computes at a time; 0 for the package's default",
    },
  },
} as const satisfies CommandLine<string>;
