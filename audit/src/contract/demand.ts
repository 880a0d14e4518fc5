import { Violation } from 'express-merchant-auth/testing';

/** @throws Violation with `message`, unless `holds` */
export function demand(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Violation(message);
}

/** Fails with all problems. A test that proves nothing comes last. */
export function demandNone(problems: readonly string[]): void {
  const isVain = (problem: string) => Number(/proves nothing|were not seen/.test(problem));
  const sorted = [...new Set(problems)].sort((one, other) => isVain(one) - isVain(other));
  demand(sorted.length === 0, sorted.join('\n'));
}

/** Fails with the messages of all items. */
export async function demandEach<Item>(items: readonly Item[], check: (item: Item) => Promise<void>): Promise<void> {
  const problems: string[] = [];
  for (const item of items) {
    await check(item).catch((error: unknown) => {
      if (!(error instanceof Violation)) throw error;
      problems.push(...error.message.split('\n'));
    });
  }
  demandNone(problems);
}

/** Cuts off the full stop: the message becomes a part of a sentence. */
export function reasonOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\.$/, '');
}
