/** What must not happen, and how often it did. */
export type Problems = Readonly<Record<string, number>>;

/** Problems, with what had them. */
export function named(what: string, problems: Problems): Record<string, number> {
  return Object.fromEntries(Object.entries(problems).map(([problem, count]) => [`${what}: ${problem}`, count]));
}

/** Adds problems to those before. */
export function collect(problems: Record<string, number>, more: Problems): void {
  for (const [problem, count] of Object.entries(more)) problems[problem] = (problems[problem] ?? 0) + count;
}

/** @returns whether there were none */
export function showProblems(problems: Problems): boolean {
  const all = Object.entries(problems);
  for (const [problem, count] of all) console.error(`PROBLEM ${problem} (${count} times)`);
  return all.length === 0;
}
