import { stat } from 'node:fs/promises';
import { expect } from 'chai';
import { within } from '../src/within.js';
import { rejectionOf } from './helpers/thrown.js';

/** Keeps the event loop from turning, as work of the host's own can. */
function stall(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('within', () => {
  it('gives up on what does not answer', async () => {
    const error = await rejectionOf(within(2, () => new Promise(() => undefined)));
    expect(error).to.have.property('message', 'no answer within 2 ms');
  });

  it('takes an answer that came in time, although the event loop was too late to read it', async () => {
    const answer = within(20, () => {
      const found = stat(__filename);
      stall(60);
      return found;
    });
    expect((await answer).isFile()).to.equal(true);
  });
});
