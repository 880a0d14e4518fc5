/** A figure of several blocks. */
export interface Quartiles {
  readonly lower: number;
  readonly median: number;
  readonly upper: number;
}

/** Returns the value below which a share of all values lies, interpolated, or NaN when there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
  return below + (above - below) * (place % 1);
}

export function quartilesOf(values: readonly number[]): Quartiles {
  const [lower, median, upper] = [0.25, 0.5, 0.75].map((share) => quantile(values, share)) as [number, number, number];
  return { lower, median, upper };
}

/** Divides block by block, because other programs slow all sides of a block. */
export function ratioOf(above: readonly number[], below: readonly number[]): Quartiles {
  return quartilesOf(above.map((value, block) => value / (below[block] ?? Number.NaN)));
}

/** The values of each side, one for each block. */
export type Blocks<Part extends string> = Readonly<Record<string, readonly Readonly<Record<Part, number>>[]>>;

/**
 * Measures all sides in each block forwards and backwards (A B B A), so that a machine that becomes slower or faster does
 * so for all sides. The value of a block is the mean of both times. Each block begins with another side.
 */
export async function alternate<Part extends string>(
  names: readonly string[],
  blocks: number,
  measure: (name: string) => Promise<Readonly<Record<Part, number>>>,
): Promise<Blocks<Part>> {
  const results = Object.fromEntries(names.map((name) => [name, [] as Record<Part, number>[]]));
  for (let block = 0; block < blocks; block += 1) {
    const first = block % names.length;
    const order = [...names.slice(first), ...names.slice(0, first)];
    const forwards = new Map<string, Readonly<Record<Part, number>>>();
    for (const name of order) forwards.set(name, await measure(name));
    for (const name of order.toReversed()) {
      const again = await measure(name);
      const parts = Object.entries<number>(forwards.get(name) ?? again);
      const means = parts.map(([part, value]) => [part, (value + again[part as Part]) / 2]);
      results[name]?.push(Object.fromEntries(means) as Record<Part, number>);
    }
  }
  return results;
}
