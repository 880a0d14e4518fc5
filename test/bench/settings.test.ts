import { expect } from 'chai';
import { readSettings } from '../../bench/harness/settings.js';

const read = (...args: string[]) => readSettings(args, ['guards', 'memory', 'flood']);

describe('the settings of the benchmarks', () => {
  it('select all rows, twelve rounds and the running Node.js, and leave the page alone', () => {
    expect(read()).to.deep.equal({ rows: ['guards', 'memory', 'flood'], nodes: [], rounds: 12, write: false });
  });

  it('select rows in the order of the benchmarks', () => {
    expect(read('flood', 'guards')?.rows).to.deep.equal(['guards', 'flood']);
    expect(() => read('guard')).to.throw(TypeError, 'There is not a row "guard". The rows are: guards, memory, flood.');
  });

  it('take versions of Node.js, rounds and the wish to write', () => {
    const settings = read('guards', '--node', '24,22.1', '--rounds', '3', '--write');
    expect(settings).to.deep.equal({ rows: ['guards'], nodes: ['24', '22.1'], rounds: 3, write: true });
  });

  for (const line of ['latest', '24,', '24; ls', '']) {
    it(`refuse --node ${JSON.stringify(line)}`, () => {
      expect(() => read('--node', line)).to.throw(TypeError, '--node needs versions such as 24 or 24,22.');
    });
  }

  for (const rounds of ['0', '1001', '1.5', 'ten']) {
    it(`refuse --rounds ${rounds}`, () => {
      expect(() => read('--rounds', rounds)).to.throw(TypeError, '--rounds must be a whole number from 1 to 1000.');
    });
  }

  it('refuse an unknown option, and measure nothing with --help', () => {
    expect(() => read('--faster')).to.throw(TypeError, '--faster');
    expect(read('guards', '--help')).to.equal(undefined);
  });
});
