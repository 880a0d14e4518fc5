import { expect } from 'chai';
import { cellsOf, isMet, type Target } from '../../bench/quick/targets.js';

const TARGET: Target = {
  what: 'one over another',
  parts: { HS256: { side: 'least', value: 0.93 }, RS256: { side: 'least', value: 1.25 } },
};
const COST: Target = { what: 'cost', parts: { ratio: { side: 'most', value: 1.1 } } };

describe('the targets of the benchmarks', () => {
  it('are met when every part is within its bound, the bound included', () => {
    expect(isMet(TARGET, { figures: { HS256: { value: 0.93 }, RS256: { value: 1.3 } } })).to.equal(true);
    expect(isMet(TARGET, { figures: { HS256: { value: 0.929 }, RS256: { value: 1.3 } } })).to.equal(false);
    expect(isMet(TARGET, { figures: { HS256: { value: 0.93 }, RS256: { value: 1.2 } } })).to.equal(false);
    expect(isMet(COST, { figures: { ratio: { value: 1.1 } } })).to.equal(true);
    expect(isMet(COST, { figures: { ratio: { value: 1.11 } } })).to.equal(false);
  });

  it('are judged by requests per second, not by processor time', () => {
    expect(isMet(COST, { figures: { ratio: { value: 1, cpu: 2 } } })).to.equal(true);
  });

  it('are not met by what was not measured, or gave no number', () => {
    expect(isMet(TARGET, { notMeasured: 'no database' })).to.equal(false);
    expect(isMet(TARGET, { figures: { HS256: { value: 1 } } })).to.equal(false);
    expect(isMet(COST, { figures: { ratio: { value: Number.NaN } } })).to.equal(false);
  });

  it('are shown with their parts, their bounds and whether they are met', () => {
    expect(cellsOf(TARGET, { figures: { HS256: { value: 0.9512, cpu: 0.9 }, RS256: { value: 1.3 } } })).to.deep.equal({
      what: 'one over another',
      is: 'HS256 0.951 (CPU 0.9), RS256 1.3',
      bound: '>= 0.93 / >= 1.25',
      met: 'met',
    });
    expect(cellsOf(COST, { notMeasured: 'no database' })).to.deep.equal({
      what: 'cost',
      is: 'not measured: no database',
      bound: '<= 1.1',
      met: 'NOT MET',
    });
  });
});
