import { expect } from 'chai';
import { figure, markdownTable, spread, withBlock } from '../../bench/harness/report.js';

const PAGE = 'Before\n\n<!-- bench one -->\n\nold\n\n<!-- /bench one -->\n\nAfter\n';

describe('the report of the benchmarks', () => {
  it('replaces the text between the markers of a block, and nothing else', () => {
    const page = withBlock(PAGE, 'one', 'new');
    const block = '<!-- prettier-ignore-start -->\n\nnew\n\n<!-- prettier-ignore-end -->';
    expect(page).to.equal(`Before\n\n<!-- bench one -->\n\n${block}\n\n<!-- /bench one -->\n\nAfter\n`);
    expect(withBlock(page, 'one', 'new')).to.equal(page);
  });

  it('refuses a page without the block', () => {
    const message = 'The page has no block from <!-- bench two --> to <!-- /bench two -->.';
    expect(() => withBlock(PAGE, 'two', 'new')).to.throw(Error, message);
    expect(() => withBlock('<!-- /bench two --><!-- bench two -->', 'two', 'new')).to.throw(Error, message);
    expect(() => withBlock('<!-- bench two -->', 'two', 'new')).to.throw(Error, message);
  });

  it('shows three digits, or all before the point', () => {
    const shown = [0, 0.00123456, 1.5, 12.345, 15_044.4, Number.NaN, Infinity].map(figure);
    expect(shown).to.deep.equal(['0', '0.00123', '1.5', '12.3', '15,044', '-', '-']);
  });

  it('shows a spread beside the median, where there is one', () => {
    expect(spread({ median: 1.234, lowest: 1, highest: 2 })).to.equal('1.23 (1 to 2)');
    expect(spread({ median: 1, lowest: 1, highest: 1 })).to.equal('1');
    expect(spread(undefined)).to.equal('-');
  });

  it('does not pad a table', () => {
    expect(markdownTable(['', 'HS256'], [['bare Express', '1']])).to.equal(
      '|  | HS256 |\n| --- | --: |\n| bare Express | 1 |',
    );
  });
});
