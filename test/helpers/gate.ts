import { readPage } from './snippets.js';

/** Returns the lines of Node.js that `.ci/run` tests. */
export function nodeLines(): string[] {
  const [, lines = ''] = /^node_lines=\((.*)\)$/m.exec(readPage('.ci/run')) ?? [];
  return lines.split(' ');
}

/** Returns the scripts that `npm test` runs. */
export function scriptsOfTest(): string[] {
  const { scripts } = JSON.parse(readPage('package.json')) as { scripts: Readonly<Record<string, string>> };
  const [, names = ''] = /^node test\/run\.mjs (.*) --$/.exec(scripts['test'] ?? '') ?? [];
  return names.split(' ').filter((name) => name !== ',');
}
