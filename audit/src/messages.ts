import { AssertionError } from 'node:assert';

export function violation(message: string, cause?: unknown): AssertionError {
  return Object.assign(new AssertionError({ message }), cause !== undefined && { cause });
}

/** @throws AssertionError with `message`, unless `holds` */
export function demand(holds: boolean, message: string): asserts holds {
  if (!holds) throw violation(message);
}

/** Runs a check for each item, and fails with the messages of all that fail. */
export async function demandEach<Item>(items: readonly Item[], check: (item: Item) => Promise<void>): Promise<void> {
  const problems: string[] = [];
  for (const item of items) {
    await check(item).catch((error: unknown) => {
      if (!(error instanceof AssertionError)) throw error;
      problems.push(error.message);
    });
  }
  demand(problems.length === 0, [...new Set(problems)].join('\n'));
}

/** Returns the message of a thrown value, without its full stop, because the message becomes a part of a sentence. */
export function reasonOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\.$/, '');
}
