import { expect } from 'chai';
import { readCommandLine } from '../../bench/harness/settings.js';

const LINE = {
  command: 'npm run something',
  settings: {
    rounds: { fallback: 5, most: 10, meaning: 'how often' },
    'slice-ms': { fallback: 400, least: 50, most: 1_000, meaning: 'how long' },
  },
  switches: { 'write-docs': 'writes' },
} as const;

const read = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => readCommandLine(LINE, args, env);

describe('the settings of a benchmark', () => {
  it('have defaults', () => {
    expect(read([])).to.deep.equal({ rounds: 5, 'slice-ms': 400, 'write-docs': false });
  });

  it('come from flags, and else from the environment', () => {
    const env = { BENCH_ROUNDS: '7', BENCH_SLICE_MS: '60' };
    expect(read(['--write-docs'], env)).to.deep.equal({ rounds: 7, 'slice-ms': 60, 'write-docs': true });
    expect(read(['--rounds', '10'], env)).to.deep.equal({ rounds: 10, 'slice-ms': 60, 'write-docs': false });
  });

  for (const args of [
    ['--rounds', '0'],
    ['--rounds', '11'],
    ['--rounds', '1.5'],
    ['--rounds', 'ten'],
  ]) {
    it(`refuse ${args.join(' ')}`, () => {
      const message = '--rounds (or BENCH_ROUNDS) must be a whole number from 1 to 10.';
      expect(() => read(args)).to.throw(TypeError, message);
    });
  }

  it('refuse a number below the least that makes sense, and an unknown flag', () => {
    expect(() => read(['--slice-ms', '49'])).to.throw(TypeError, 'from 50 to 1000');
    expect(() => read(['--faster'])).to.throw(TypeError, '--faster');
  });
});
