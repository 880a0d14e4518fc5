import type { Answer } from './answer.js';

/**
 * Returns true when two bodies are the same, apart from the members of JSON that differ between two answers of the second
 * kind: times, ids of requests and the like.
 */
export function isSameBody(answer: Answer, other: Answer, otherAgain: Answer): boolean {
  const [one, two, again] = [answer, other, otherAgain].map(leavesOf) as [Leaves, Leaves, Leaves];
  const names = new Set([...one.keys(), ...two.keys()]);
  return [...names].every((name) => one.get(name) === two.get(name) || two.get(name) !== again.get(name));
}

type Leaves = ReadonlyMap<string, string>;

/** Returns the members of JSON, at any depth, by their paths. A body that is not JSON is one member. */
function leavesOf({ json, text }: Pick<Answer, 'json' | 'text'>): Leaves {
  if (!(json instanceof Object)) return new Map([['', text]]);
  return new Map(
    Object.entries(json as object).flatMap(([name, member]) =>
      [...leavesOf({ json: member as unknown, text: JSON.stringify(member) })].map(
        ([path, value]) => [`${name}.${path}`, value] as const,
      ),
    ),
  );
}
