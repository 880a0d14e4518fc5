import { expect } from 'chai';
import { figure, spread, withBlock } from '../../bench/harness/report.js';
import { CONTROL, disturbedControls, figuresOf, tableOf } from '../../bench/harness/sides.js';

describe('the report of the benchmarks', () => {
  it('replaces the text between the markers of a block, and nothing else', () => {
    const page = withBlock('Before\n\n<!-- bench one -->\nold\n<!-- /bench one -->\n\nAfter\n', 'one', 'new');
    const block = '<!-- bench one -->\n<!-- prettier-ignore -->\nnew\n\n<!-- /bench one -->';
    expect(page).to.equal(`Before\n\n${block}\n\nAfter\n`);
    expect(withBlock(page, 'one', 'new')).to.equal(page);
    for (const wrong of [page, '<!-- /bench two --><!-- bench two -->', '<!-- bench two -->']) {
      expect(() => withBlock(wrong, 'two', 'new')).to.throw(Error, 'The page has no block from <!-- bench two --> to');
    }
  });

  it('shows three digits, or all before the point, and quartiles where they differ', () => {
    const shown = [0, 0.00123456, 1.5, 12.345, 15_044.4, Number.NaN, Infinity].map(figure);
    expect(shown).to.deep.equal(['0', '0.00123', '1.5', '12.3', '15,044', '-', '-']);
    expect(spread({ lower: 1, median: 1.234, upper: 2 })).to.equal('1.23 (1 to 2)');
    expect(spread({ lower: 1, median: 1, upper: 1 })).to.equal('1');
  });

  const block = (µs: number) => ({ µs, 'per second': 1e6 / µs, 'p99 ms': 2 });
  const figures = (control: number) =>
    figuresOf('HS256', { 'bare Express': [block(50)], [CONTROL]: [block(control)], mine: [block(100)] }, 'mine');

  it('compares each side with the reference', () => {
    const lines = ['bare Express', 'absent'].map((name) => ({ cells: [name], name, labels: ['HS256'] }));
    expect(tableOf(['guard'], ['HS256'], 'mine', lines, figures(51)).split('\n')).to.deep.equal([
      '| guard | HS256, µs | times mine | per second | p99 ms |',
      '| --- | --: | --: | --: | --: |',
      '| bare Express | 50 | 0.5 | 20,000 | 2 |',
      '| absent | not measured yet | - | - | - |',
    ]);
  });

  it('finds a machine busy when the quartiles of bare Express against itself are not within 5 %', () => {
    const isBusy = (control: number) => disturbedControls(figures(control)).length > 0;
    expect([47.4, 47.5, 52.5, 52.6, Number.NaN].map(isBusy)).to.deep.equal([true, false, false, true, true]);
  });
});
