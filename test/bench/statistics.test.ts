import { expect } from 'chai';
import { alternate, quartilesOf, ratioOf } from '../../bench/harness/statistics.js';

describe('the statistics of the benchmarks', () => {
  it('measure each block forwards and backwards, begin each with another side, and compare block by block', async () => {
    let order = '';
    // The second block is slow for both sides.
    const side = (name: string, cost: number) => () => {
      order += name;
      return Promise.resolve(order.length > 4 ? cost * 10 : cost);
    };
    const blocks = await alternate(
      new Map([
        ['a', side('a', 9)],
        ['b', side('b', 10)],
      ]),
      2,
    );
    expect(order).to.equal('abbabaab');
    expect(blocks).to.deep.equal({ a: [9, 90], b: [10, 100] });
    expect(ratioOf(blocks, 'a', 'b')).to.deep.equal({ lower: 0.9, median: 0.9, upper: 0.9 });
  });

  it('show the median and the quartiles, between two values where there is none', () => {
    expect(quartilesOf([5, 1, 3, 2, 4])).to.deep.equal({ lower: 2, median: 3, upper: 4 });
    expect(quartilesOf([1, 2])).to.deep.equal({ lower: 1.25, median: 1.5, upper: 1.75 });
  });
});
