import { expect } from 'chai';
import { textOf } from '../../bench/harness/report.js';
import { type Bound, boundText, isMet } from '../../bench/harness/rows.js';
import { ROWS } from '../../bench/rows.js';
import { readPage } from '../helpers/snippets.js';

const PAGE = readPage('docs/performance.md');
const README = readPage('bench/README.md');

/** Expands `A and B, x` to `A, x` and `B, x`. */
function expand(line: string): string[] {
  const list = /(^|, )([^,]+) and ([^,]+)(?=, )/.exec(line);
  if (list === null) return [line];
  const [text, before = '', ...parts] = list;
  return parts.flatMap((part) => expand(line.replace(text, before + part)));
}

const blockOf = (name: string) =>
  new RegExp(`<!-- bench ${name} -->([^]*)<!-- /bench ${name} -->`).exec(PAGE)?.[1] ?? '';
/** Returns the names of columns and lines, and the number of figures. */
const shapeOf = (table: string) =>
  [...table.matchAll(/^\|.*\|$/gm)].map(([line]) => {
    const cells = line.split(' | ');
    return [cells.length, ...cells.filter((cell) => !/^[-\d]|^not /.test(cell))];
  });

describe('the rows of the benchmarks', () => {
  it('meet a target within its bound, the bound included, and miss one without a number', () => {
    const met = (bound: Bound, median: number) => isMet(bound, { lower: 0, median, upper: Infinity });
    expect([1.499, 1.5, Infinity].map((value) => met({ atLeast: 1.5 }, value))).to.deep.equal([false, true, false]);
    expect([1.1, 1.101, Number.NaN].map((value) => met({ atMost: 1.1 }, value))).to.deep.equal([true, false, false]);
    expect(isMet({ atMost: 1 }, undefined)).to.equal(false);
  });

  it('are in bench/README.md with their targets', () => {
    const expected = Object.entries(ROWS).flatMap(([name, { measures, targets }]) => [
      `**${name}**: ${measures}`,
      ...Object.entries(targets).map(([figure, bound]) => `${figure}: ${boundText(bound)}`),
    ]);
    const list = README.slice(README.indexOf('- **')).replace(/\n {4}/g, ' ');
    const listed = [...list.matchAll(/^ *- (.*)$/gm)].flatMap(([, line = '']) =>
      line.startsWith('**') ? [line] : expand(line),
    );
    expect(listed).to.have.members(expected);
  });

  it('have their table in docs/performance.md', () => {
    const names = Object.keys(ROWS).filter((name) => ROWS[name]?.isOnPage === true);
    expect([...PAGE.matchAll(/^<!-- bench (\w+) -->$/gm)].map(([, name]) => name)).to.deep.equal(names);
    for (const name of names) {
      const row = ROWS[name];
      const block = blockOf(name);
      expect(row && shapeOf(textOf(row, {})), name).to.deep.equal(shapeOf(block));
    }
  });
});
