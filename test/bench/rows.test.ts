import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { type Bound, boundText, isMet } from '../../bench/harness/rows.js';
import { ROWS } from '../../bench/rows.js';
import { readPage } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');
const spread = (median: number) => ({ median, lowest: 0, highest: Infinity });

/** Returns the targets that bench/README.md lists for a row, each with the names of its algorithms expanded. */
function listedTargets(name: string): string[] {
  const section = new RegExp(`^- \\*\\*${name}\\*\\*: .*\\n((?:  .*\\n)*)`, 'm').exec(readPage('bench/README.md'));
  const lines = [...(section?.[1] ?? '').matchAll(/^ {2}- (.*)$/gm)].map(([, line = '']) => line);
  return lines.flatMap((line) => {
    const all = 'HS256, RS256, ES256, ';
    return line.startsWith(all) ? (all.match(/\w+/g)?.map((one) => `${one}, ${line.slice(all.length)}`) ?? []) : [line];
  });
}

describe('the rows of the benchmarks', () => {
  it('meet a target within its bound, the bound included', () => {
    const met = (bound: Bound, median: number) => isMet(bound, spread(median));
    expect([met({ atLeast: 1.5 }, 1.5), met({ atLeast: 1.5 }, 1.499)]).to.deep.equal([true, false]);
    expect([met({ atMost: 1.1 }, 1.1), met({ atMost: 1.1 }, 1.101)]).to.deep.equal([true, false]);
  });

  it('miss a target without a number', () => {
    expect(isMet({ atMost: 1 }, undefined)).to.equal(false);
    expect(isMet({ atMost: 1 }, spread(Number.NaN))).to.equal(false);
    expect(isMet({ atLeast: 1 }, spread(Infinity))).to.equal(false);
  });

  it('have their targets in bench/README.md', () => {
    for (const [name, { targets }] of Object.entries(ROWS)) {
      const expected = Object.entries(targets).map(([figure, bound]) => `${figure}: ${boundText(bound)}`);
      expect(listedTargets(name), name).to.have.members(expected);
    }
    const listed = [...readPage('bench/README.md').matchAll(/^- \*\*(\w+)\*\*:/gm)].map(([, name]) => name);
    expect(listed).to.deep.equal(Object.keys(ROWS));
  });

  it('have their block and their picture in docs/performance.md', () => {
    const page = readPage('docs/performance.md');
    const onPage = Object.entries(ROWS).filter(([, { isOffPage }]) => isOffPage !== true);
    const blocks = [...page.matchAll(/^<!-- bench (\w+) -->$[\s\S]*?^<!-- \/bench \1 -->$/gm)].map(([, name]) => name);
    expect(blocks).to.have.members([...onPage.map(([name]) => name), 'machine']);
    const files = onPage.flatMap(([, { picture }]) => picture?.file ?? []);
    expect(files).to.have.length.above(0);
    for (const file of files) {
      expect(page).to.include(`](${file})`);
      expect(fs.existsSync(path.join(ROOT, 'docs', file)), file).to.equal(true);
    }
  });
});
