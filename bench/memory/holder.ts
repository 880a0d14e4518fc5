import { setImmediate } from 'node:timers/promises';
import { tokensOf } from '../guards/guards.js';
import { generateKeys, verifyingHalves } from '../guards/keys.js';
import { Mint } from '../guards/mint.js';
import { obey } from '../harness/remote.js';

// The process whose memory is measured.

const keys = generateKeys();
const mint = new Mint(keys, 'HS256');
const createTokens = () => tokensOf({ keys: verifyingHalves(keys), algorithm: 'HS256' });
const tokens = createTokens();

const commands = {
  /** Loads and compiles what verifying needs, with tokens of another instance, which is given up. */
  warmUp(count: number) {
    const others = createTokens();
    for (let merchant = 1; merchant <= count; merchant += 1) others.verify(mint.token(merchant));
  },
  /** Verifies so many tokens, each seen for the first time. */
  verify(count: number) {
    for (let merchant = 1; merchant <= count; merchant += 1) tokens.verify(mint.token(merchant));
  },
  /** Bytes in use, in the heap and beside it, when what can be collected is. */
  async held() {
    for (let time = 0; time < 3; time += 1) {
      globalThis.gc?.();
      await setImmediate();
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
};

export type HolderCommands = typeof commands;
obey(commands);
