import { expect } from 'chai';
import { withBlock } from '../../bench/harness/page.js';

const PAGE = 'Before\n\n<!-- one -->\n\nold\n\n<!-- /one -->\n\nAfter\n';

describe('a block of a page', () => {
  it('is replaced between its markers, and nothing else is', () => {
    const page = withBlock(PAGE, 'one', 'new');
    expect(page).to.equal('Before\n\n<!-- one -->\n\nnew\n\n<!-- /one -->\n\nAfter\n');
    expect(withBlock(page, 'one', 'new')).to.equal(page);
  });

  it('has to be there', () => {
    const message = 'The page has no block from <!-- two --> to <!-- /two -->.';
    expect(() => withBlock(PAGE, 'two', 'new')).to.throw(Error, message);
    expect(() => withBlock('<!-- /two --><!-- two -->', 'two', 'new')).to.throw(Error, message);
    expect(() => withBlock('<!-- two -->', 'two', 'new')).to.throw(Error, message);
  });
});
