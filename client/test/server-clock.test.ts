import { expect } from 'chai';
import { freezeTime } from '../../test/helpers/frozen-time.js';
import { createServerClock } from '../src/server-clock.js';

function answerAt(date: string | undefined): Response {
  return new Response(null, { headers: date === undefined ? {} : { Date: date } });
}

describe('createServerClock', () => {
  it('tells the local time until an answer has a Date', () => {
    const time = freezeTime();
    const clock = createServerClock();
    for (const date of [undefined, '', 'yesterday']) clock.learn(answerAt(date));
    expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 12));
    time.pass(0.25);
    expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 12) + 250);
  });

  it('tells the time of the last answer with a Date, and runs at the speed of the local clock', () => {
    const time = freezeTime();
    const clock = createServerClock();
    clock.learn(answerAt('Thu, 15 Jan 2026 13:00:00 GMT'));
    expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 13));
    time.pass(0.25);
    expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 13) + 250);
    clock.learn(answerAt('Thu, 15 Jan 2026 11:30:00 GMT'));
    expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 11, 30));
    clock.learn(answerAt(undefined));
    expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 11, 30));
  });
});
