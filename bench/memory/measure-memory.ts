import path from 'node:path';
import { Remote } from '../harness/remote.js';
import type { HolderCommands } from './holder.js';

/** What tokens hold that were verified, in bytes. */
export interface MemoryFigures {
  /** By how many different tokens were seen. */
  readonly heldAfter: Readonly<Record<number, number>>;
}

/** How many different tokens have been seen when it is looked. */
export const SEEN = { live: 10_000, some: 100_000, many: 1_000_000 } as const;

const WARM_UP = 5_000;
/** Told to the other process in parts, so that it answers in between. */
const PART = 50_000;

export async function measureMemory(): Promise<MemoryFigures> {
  const holder = new Remote<HolderCommands>('memory', path.join(__dirname, 'holder.js'), ['--expose-gc']);
  try {
    await holder.call('warmUp', WARM_UP);
    const before = await holder.call('held');
    const heldAfter: Record<number, number> = {};
    let seen = 0;
    for (const goal of Object.values(SEEN)) {
      while (seen < goal) {
        const count = Math.min(PART, goal - seen);
        await holder.call('verify', count);
        seen += count;
      }
      heldAfter[goal] = (await holder.call('held')) - before;
    }
    return { heldAfter };
  } finally {
    await holder.end();
  }
}
