import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { createLoginThrottle } from 'express-merchant-auth';
import { machineFacts, machineLine, versionsOf } from '../harness/machine.js';
import { runMain } from '../harness/run-main.js';

// Measures the memory of a throttle whose five counters are filled to their cap.

/** The cap of each counter. */
const KEYS = 100_000;

interface Keys {
  readonly email: string;
  readonly origin: string;
  readonly emailAndOrigin: string;
  readonly isSourceDetermined: boolean;
}

/** The methods that a login calls. The published types leave them out. */
interface InternalThrottle {
  check(keys: Keys): Promise<{ readonly seconds: number }>;
  fail(keys: Keys): Promise<number>;
  succeed(keys: Keys): void;
}

/** Returns a key as a login has it: 128 bits in hexadecimal. */
const key = () => randomBytes(16).toString('hex');

const newKeys = (isSourceDetermined: boolean): Keys => ({
  email: key(),
  origin: key(),
  emailAndOrigin: key(),
  isSourceDetermined,
});

/** Fills the counters of email, source and pair, and those of peers and known sources. */
async function fill(throttle: InternalThrottle, first: Keys): Promise<void> {
  for (let number = 0; number < KEYS; number += 1) {
    const keys = number === 0 ? first : newKeys(true);
    await throttle.fail(keys);
    // The same email, because that counter has its keys.
    await throttle.fail({ ...newKeys(false), email: keys.email });
    throttle.succeed(newKeys(true));
  }
}

async function memoryInUse(gc: () => unknown): Promise<NodeJS.MemoryUsage> {
  for (let time = 0; time < 3; time += 1) {
    gc();
    await setImmediate();
  }
  return process.memoryUsage();
}

runMain(async () => {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('Start it with: node --expose-gc bench/dist/memory/throttle.js');
  console.log(machineLine(machineFacts(), versionsOf(['rate-limiter-flexible'])));
  const before = await memoryInUse(gc);
  const first = newKeys(true);
  const limit = { failures: 1, seconds: 900 };
  const throttle = createLoginThrottle({ emailAndSource: limit }) as unknown as InternalThrottle;
  await fill(throttle, first);
  const after = await memoryInUse(gc);
  const grown = (member: 'heapUsed' | 'rss') => Math.round((after[member] - before[member]) / 1e6);
  console.log(`5 counters of ${KEYS} keys: ${grown('heapUsed')} MB of heap, ${grown('rss')} MB of resident memory`);
  // The counters still hold the first keys, so nothing was dropped.
  return (await throttle.check(first)).seconds > 0;
});
