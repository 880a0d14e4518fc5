import { expect } from 'chai';
import { freezeTime } from '../../test/helpers/frozen-time.js';
import { createServerClock } from '../src/server-clock.js';

it('the clock of the server is the local one until an answer has a Date, and then follows the last Date', () => {
  const time = freezeTime();
  const clock = createServerClock();
  const learn = (date?: string) =>
    clock.learn(new Response(null, { headers: date === undefined ? {} : { Date: date } }));
  for (const date of [undefined, '', 'yesterday']) learn(date);
  expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 12));
  learn('Thu, 15 Jan 2026 13:00:00 GMT');
  expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 13));
  time.pass(0.25);
  expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 13) + 250);
  learn('Thu, 15 Jan 2026 11:30:00 GMT');
  learn(undefined);
  expect(clock.now()).to.equal(Date.UTC(2026, 0, 15, 11, 30));
});
