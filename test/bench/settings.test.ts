import { expect } from 'chai';
import { readSettings } from '../../bench/harness/settings.js';

const read = (...args: string[]) => readSettings(args, ['guard', 'database', 'logins']);

describe('the settings of the benchmarks', () => {
  it('select all rows in the order of the benchmarks, and the settings of the page', () => {
    expect(read()).to.deep.equal({ rows: ['guard', 'database', 'logins'], node: '24', blocks: 12, isForPage: true });
    expect(read('logins', 'guard')?.rows).to.deep.equal(['guard', 'logins']);
    expect(read('guard', '--help')).to.equal(undefined);
  });

  it('leave the page alone with another version of Node.js, or with other blocks', () => {
    expect(read('--node', '22.1')).to.deep.include({ node: '22.1', isForPage: false });
    expect(read('--blocks', '3')).to.deep.include({ blocks: 3, isForPage: false });
  });

  it('refuse unknown rows and options, and values out of range', () => {
    expect(() => read('guards')).to.throw(
      TypeError,
      'There is not a row "guards". The rows are: guard, database, logins.',
    );
    expect(() => read('--faster')).to.throw(TypeError, '--faster');
    for (const node of ['latest', '24,', '24; ls', '']) {
      expect(() => read('--node', node)).to.throw(TypeError, '--node needs a version such as 24 or 22.13.');
    }
    for (const blocks of ['0', '1001', '1.5', 'ten']) {
      expect(() => read('--blocks', blocks)).to.throw(TypeError, '--blocks must be a whole number from 1 to 1000.');
    }
  });
});
