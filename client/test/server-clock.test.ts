import { expect } from 'chai';
import { createServerClock } from '../src/server-clock.js';

const LOCAL = Date.UTC(2026, 0, 15, 12);

function answerAt(date: string | undefined): Response {
  return new Response(null, { headers: date === undefined ? {} : { Date: date } });
}

describe('createServerClock', () => {
  it('tells the local time until an answer has a Date', () => {
    let local = LOCAL;
    const clock = createServerClock(() => local);
    for (const date of [undefined, '', 'yesterday']) clock.learn(answerAt(date));
    expect(clock.now()).to.equal(LOCAL);
    local += 5;
    expect(clock.now()).to.equal(LOCAL + 5);
  });

  it('tells the time of the last answer with a Date, and runs at the speed of the local clock', () => {
    let local = LOCAL;
    const clock = createServerClock(() => local);
    clock.learn(answerAt('Thu, 15 Jan 2026 13:00:00 GMT'));
    expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 13));
    local += 250;
    expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 13) + 250);
    clock.learn(answerAt('Thu, 15 Jan 2026 11:30:00 GMT'));
    expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 11, 30));
    clock.learn(answerAt(undefined));
    expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 11, 30));
  });
});
