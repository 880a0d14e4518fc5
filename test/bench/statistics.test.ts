import { expect } from 'chai';
import { alternate, percentile, ratioOf, spreadOf } from '../../bench/harness/statistics.js';

describe('the statistics of the benchmarks', () => {
  it('show the median of an odd and of an even number of rounds, with the lowest and the highest', () => {
    expect(spreadOf([3, 1, 10])).to.deep.equal({ median: 3, lowest: 1, highest: 10 });
    expect(spreadOf([3, 1, 10, 5])).to.deep.equal({ median: 4, lowest: 1, highest: 10 });
    expect(spreadOf([]).median).to.deep.equal(Number.NaN);
  });

  it('take a percentile by the nearest rank', () => {
    const values = Array.from({ length: 200 }, (_, number) => 200 - number);
    expect([percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1)]).to.deep.equal([100, 198, 200]);
    expect(percentile([], 0.5)).to.deep.equal(Number.NaN);
  });

  it('compare two sides round by round', () => {
    // The second round was slow for both.
    expect(ratioOf([900, 90, 800], [1000, 100, 1000])).to.deep.equal({ median: 0.9, lowest: 0.8, highest: 0.9 });
  });

  it('begin each round with another side', async () => {
    const order: string[] = [];
    const results = await alternate(['a', 'b', 'c'], 4, (name, isFirst) => {
      order.push(isFirst ? name.toUpperCase() : name);
      return Promise.resolve(order.length);
    });
    expect(order.join('')).to.equal('AbcBcaCabAbc');
    expect(results).to.deep.equal({ a: [1, 6, 8, 10], b: [2, 4, 9, 11], c: [3, 5, 7, 12] });
  });
});
