import { expect } from 'chai';
import { limitStackTraces } from '../../src/errors/stack-traces.js';

const framesOf = ({ stack = '' }: Error) => stack.split('\n').filter((line) => line.startsWith('    at ')).length;

describe('limitStackTraces', () => {
  const before = Error.stackTraceLimit;

  afterEach('restore the limit', () => {
    Error.stackTraceLimit = before;
  });

  it('sets the number of frames that new errors record', () => {
    for (const frames of [0, 1, 2]) {
      limitStackTraces(frames);
      expect(framesOf(new Error('failed'))).to.equal(frames);
    }
  });
});
