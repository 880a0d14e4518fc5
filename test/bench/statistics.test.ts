import { expect } from 'chai';
import { alternate, quantile, quartilesOf, ratioOf } from '../../bench/harness/statistics.js';

describe('the statistics of the benchmarks', () => {
  it('show the median and the quartiles, between two values where there is none', () => {
    expect(quartilesOf([5, 1, 3, 2, 4])).to.deep.equal({ lower: 2, median: 3, upper: 4 });
    expect(quartilesOf([1, 2])).to.deep.equal({ lower: 1.25, median: 1.5, upper: 1.75 });
    expect(quantile([], 0.5)).to.deep.equal(Number.NaN);
  });

  it('compare two sides block by block', () => {
    // The second block was slow for both.
    expect(ratioOf([900, 90, 900], [1000, 100, 1000])).to.deep.equal({ lower: 0.9, median: 0.9, upper: 0.9 });
  });

  it('measure each block forwards and backwards, and begin each with another side', async () => {
    let order = '';
    const results = await alternate(['a', 'b'], 2, (name) => {
      order += name;
      return Promise.resolve({ cost: order.length });
    });
    expect(order).to.equal('abbabaab');
    expect(results).to.deep.equal({ a: [{ cost: 2.5 }, { cost: 6.5 }], b: [{ cost: 2.5 }, { cost: 6.5 }] });
  });
});
