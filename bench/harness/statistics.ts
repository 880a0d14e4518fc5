/** A figure of several rounds. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Returns the value that a share of all values does not exceed (nearest rank), or NaN when there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Returns the median with the lowest and the highest value. The median of an even number is the mean of the middle two. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (place: number) => sorted[place] ?? Number.NaN;
  const median = (at(Math.ceil(sorted.length / 2) - 1) + at(Math.floor(sorted.length / 2))) / 2;
  return { median, lowest: at(0), highest: at(sorted.length - 1) };
}

/** Compares two sides round by round, because other programs slow both sides of a round. */
export function ratioOf(above: readonly number[], below: readonly number[]): Spread {
  return spreadOf(above.map((value, round) => value / (below[round] ?? Number.NaN)));
}

/** Measures all entries in each round. Each round begins with another entry, so the neighbors change. */
export async function alternate<Name extends string, Result>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name, isFirst: boolean) => Promise<Result>,
): Promise<Readonly<Record<Name, readonly Result[]>>> {
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round += 1) {
    const first = round % names.length;
    const order = [...names.slice(first), ...names.slice(0, first)];
    for (const [place, name] of order.entries()) results[name].push(await measure(name, place === 0));
  }
  return results;
}
