import { setImmediate } from 'node:timers/promises';
import { accountOf, generateKey, tokensOf, verifyingHalf } from './keys.js';

// The process whose memory is measured. Prints what 10,000 live tokens hold, and what is held after 100,000, in bytes.

const key = generateKey('HS256');
const issuer = tokensOf(key);

function verifyNew(verifier: typeof issuer, count: number): void {
  for (let merchant = 1; merchant <= count; merchant += 1) verifier.verify(issuer.issue(accountOf(merchant)));
}

async function held(): Promise<number> {
  for (let time = 0; time < 3; time += 1) {
    globalThis.gc?.();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function measure(): Promise<void> {
  const [measured, warmUp] = [tokensOf(verifyingHalf(key)), tokensOf(verifyingHalf(key))];
  // Loads and compiles first, with a cache that is not measured.
  verifyNew(warmUp, 10_000);
  const before = await held();
  verifyNew(measured, 10_000);
  const live = (await held()) - before;
  verifyNew(measured, 90_000);
  console.log(JSON.stringify([live, (await held()) - before]));
  // Keeps both caches until here.
  verifyNew(warmUp, 1);
  verifyNew(measured, 1);
}

void measure();
