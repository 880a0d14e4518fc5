/** The values of each side, one for each block. */
export type Blocks = Readonly<Record<string, readonly number[]>>;

/** A figure of several blocks. */
export interface Quartiles {
  readonly lower: number;
  readonly median: number;
  readonly upper: number;
}

/** Interpolates between two values where there is none. */
export function quartilesOf(values: readonly number[]): Quartiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const place = (sorted.length - 1) * share;
    const [below, above] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
    return below + (above - below) * (place % 1);
  };
  return { lower: at(0.25), median: at(0.5), upper: at(0.75) };
}

/** Divides the values of two sides block by block, because other programs slow all sides of a block. */
export function ratioOf(blocks: Blocks, above: string, below: string): Quartiles {
  const divisors = blocks[below] ?? [];
  return quartilesOf((blocks[above] ?? []).map((value, block) => value / (divisors[block] ?? Number.NaN)));
}

/**
 * Measures all sides in each block forwards and backwards (A B B A), so that a machine that becomes slower or faster does
 * so for all sides. The value of a block is the mean of both times. Each block begins with another side.
 */
export async function alternate(sides: ReadonlyMap<string, () => Promise<number>>, blocks: number): Promise<Blocks> {
  const all = [...sides].map(([name, measure]) => ({ name, measure, values: [] as number[] }));
  for (let block = 0; block < blocks; block += 1) {
    const first = block % all.length;
    const order = [...all.slice(first), ...all.slice(0, first)];
    for (const side of order) side.values[block] = (await side.measure()) / 2;
    for (const side of order.toReversed()) side.values[block] = (side.values[block] ?? 0) + (await side.measure()) / 2;
  }
  return Object.fromEntries(all.map(({ name, values }) => [name, values]));
}
