import { expect } from 'chai';
import { alternate, ratioOf } from '../../bench/guards/turns.js';

const turn = (requestsPerSecond: number, cpuMicroseconds: number) => ({
  requestsPerSecond,
  cpuMicroseconds,
  problems: {},
});

describe('turns', () => {
  it('begin with another entry in each round', async () => {
    const order: string[] = [];
    const results = await alternate(
      [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
      { rounds: 4 },
      ({ name }, isFirst) => {
        order.push(isFirst ? name.toUpperCase() : name);
        return Promise.resolve(order.length);
      },
    );
    expect(order.join('')).to.equal('AbcBcaCabAbc');
    expect(results).to.deep.equal({ a: [1, 6, 8, 10], b: [2, 4, 9, 11], c: [3, 5, 7, 12] });
  });

  it('are compared round by round, by rate and by processor time', () => {
    // The second round was slow for both.
    const { rate, cpu } = ratioOf(
      [turn(900, 110), turn(90, 1100), turn(800, 100)],
      [turn(1000, 100), turn(100, 1000), turn(1000, 100)],
    );
    expect(rate).to.deep.equal({ median: 0.9, lowest: 0.8, highest: 0.9 });
    expect(cpu.median).to.be.closeTo(1 / 1.1, 1e-9);
  });
});
