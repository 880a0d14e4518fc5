import { expect } from 'chai';
import fc from 'fast-check';
import type { LoginThrottleOptions } from '../../src/index.js';
import type { LoginThrottle } from '../../src/throttle/login-throttle.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { PROPERTY_TIMEOUT_MS, REQUESTS, SEED } from '../helpers/trials.js';
import { settle } from '../helpers/until.js';
import { keysOf } from './wrong-password.js';

const PAIR = 3;
const LIMITS: LoginThrottleOptions = {
  emailAndSource: { failures: PAIR, seconds: 900 },
  source: { failures: 12, seconds: 900 },
  email: { failures: 9, seconds: 900 },
};
const RIGHT = 'the right password';

type Source = 'shop' | 'office';

/** Logs in as `Login` does. Resolves to the status of the answer. */
async function logIn(throttle: LoginThrottle, from: string, guess: string): Promise<200 | 401 | 429> {
  const keys = keysOf('awa', from, guess);
  const { seconds, isKnown } = await throttle.check(keys);
  if (seconds > 0) return 429;
  if (guess !== RIGHT) return (await throttle.fail(keys, isKnown)).seconds > 0 ? 429 : 401;
  const recheck = await throttle.recheck(keys, isKnown);
  if (recheck.seconds > 0) return 429;
  throttle.succeed(keys, recheck);
  await settle();
  return 200;
}

const sources = fc.constantFrom<Source>('shop', 'shop', 'shop', 'office');
const guesses = fc.record({
  guess: fc.oneof(
    { weight: 1, arbitrary: fc.constant(RIGHT) },
    { weight: 12, arbitrary: fc.integer({ min: 1, max: 12 }).map(String) },
  ),
  from: sources,
});
const forgiving = fc.record({ forgive: sources });

describe('a generated sequence of guesses', () => {
  it('learns of a limited number of passwords, and of as many again from the memory of an outage', async () => {
    const step = fc.oneof(
      { weight: 12, arbitrary: guesses },
      { weight: 1, arbitrary: forgiving },
      { weight: 1, arbitrary: fc.record({ seconds: fc.constantFrom(1, 900) }) },
      { weight: 2, arbitrary: fc.record({ isDown: fc.boolean() }) },
    );
    let most = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { size: 'large', maxLength: 80 }), async (steps) => {
        const time = freezeTime();
        collectWarnings();
        const control = controlledThrottle(LIMITS);
        let isDown = false;
        control.before = () => (isDown ? Promise.reject(new Error('down')) : undefined);
        /** The wrong passwords that a 401 has told, and how many of them since the counters were cleared. */
        const learned = { shop: new Set<string>(), office: new Set<string>() };
        const recent = { shop: 0, office: 0 };
        let budget = PAIR;
        for (const each of steps) {
          if ('isDown' in each) {
            ({ isDown } = each);
            if (isDown) budget = 2 * PAIR;
          } else if ('seconds' in each) {
            time.pass(each.seconds);
            if (each.seconds === 900) recent.shop = recent.office = 0;
          } else if ('forgive' in each) {
            const forgiven = control.throttle.forgive('awa', `awa from ${each.forgive}`);
            if (!isDown) recent[each.forgive] = 0;
            await forgiven.catch(() => undefined);
          } else {
            const { from, guess } = each;
            const status = await logIn(control.throttle, from, guess);
            if (status === 401 && !learned[from].has(guess)) recent[from] += 1;
            if (status === 401) learned[from].add(guess);
            if (status === 200) recent[from] = 0;
            most = Math.max(most, recent[from]);
            expect(recent[from]).to.be.at.most(budget);
          }
        }
      }),
      { seed: SEED, numRuns: REQUESTS },
    );
    expect(most).to.equal(2 * PAIR);
  }).timeout(PROPERTY_TIMEOUT_MS);
});
