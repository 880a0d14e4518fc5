import { readPage } from './snippets.js';

/** Returns the lines of Node.js that `.ci/run` tests. */
export function nodeLines(): string[] {
  const [, lines = ''] = /^node_lines=\((.*)\)$/m.exec(readPage('.ci/run')) ?? [];
  return lines.split(' ');
}
