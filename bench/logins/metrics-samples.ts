import { setTimeout as sleep } from 'node:timers/promises';
import { drawSvg } from '../harness/report.js';

export const PANELS = ['Logins per second', 'Password hashes', 'Guarded requests, p99 in ms'] as const;

/** A value of one series at one time. */
export interface Sample {
  readonly panel: (typeof PANELS)[number];
  readonly series: string;
  readonly second: number;
  readonly value: number;
}

type Scrape = ReadonlyMap<string, number>;

/** Reads the text format of Prometheus. Each line has a name with labels, and a value. */
function parseMetrics(text: string): Scrape {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

/** Scrapes until `signal` aborts, once in `everyMs`. Returns what a dashboard computes from it. */
export async function scrape(url: string, everyMs: number, signal: AbortSignal): Promise<Sample[]> {
  const fetchMetrics = async () => parseMetrics(await (await fetch(url)).text());
  const samples: Sample[] = [];
  const startedAt = performance.now();
  let [before, beforeAt] = [await fetchMetrics(), startedAt];
  while (!signal.aborted) {
    await sleep(everyMs);
    const [now, at] = [await fetchMetrics(), performance.now()];
    samples.push(...samplesOf(before, now, (at - beforeAt) / 1000, (at - startedAt) / 1000));
    [before, beforeAt] = [now, at];
  }
  return samples;
}

/** Returns the values of the time between two scrapes, which are `seconds` apart. */
function samplesOf(before: Scrape, now: Scrape, seconds: number, second: number): Sample[] {
  const samples: Sample[] = [];
  for (const [name, value] of now) {
    const outcome = /^merchant_auth_logins_total\{outcome="(\w+)"\}/.exec(name)?.[1];
    const state = /^merchant_auth_hashes\{state="(\w+)"\}/.exec(name)?.[1];
    if (outcome !== undefined) {
      const perSecond = (value - (before.get(name) ?? 0)) / seconds;
      samples.push({ panel: 'Logins per second', series: outcome, second, value: perSecond });
    }
    if (state !== undefined) samples.push({ panel: 'Password hashes', series: state, second, value });
  }
  const p99 = quantile(0.99, before, now);
  if (p99 !== undefined) {
    samples.push({ panel: 'Guarded requests, p99 in ms', series: 'guarded p99', second, value: p99 * 1000 });
  }
  return samples;
}

const BUCKET = /^http_request_duration_seconds_bucket\{le="([^"]+)",route="GET \/v1\/transactions",status="200"\}/;

/** Returns the upper bound of the quantile's bucket, in seconds, or `undefined` when nothing was counted. */
function quantile(part: number, before: Scrape, now: Scrape): number | undefined {
  const buckets = [...now].flatMap(([name, value]) => {
    const bound = BUCKET.exec(name)?.[1];
    return bound === undefined ? [] : [{ bound: Number(bound), count: value - (before.get(name) ?? 0) }];
  });
  const total = Math.max(0, ...buckets.map(({ count }) => count));
  return total === 0 ? undefined : buckets.find(({ count }) => count >= total * part)?.bound;
}

/** Draws a line for each series, in the panel of the sample. Returns the picture as SVG. */
export function drawSamples(values: readonly Sample[]): Promise<string> {
  const panel = (title: string) => ({
    title: { text: title, anchor: 'start' as const, fontSize: 12 },
    width: 560,
    height: 120,
    transform: [{ filter: `datum.panel === '${title}'` }],
    mark: { type: 'line' as const, interpolate: 'monotone' as const },
    encoding: {
      x: { field: 'second', type: 'quantitative' as const, title: 'seconds' },
      y: { field: 'value', type: 'quantitative' as const, title: null },
      color: { field: 'series', type: 'nominal' as const, title: null },
    },
  });
  return drawSvg({
    data: { values: [...values] },
    vconcat: PANELS.map(panel),
    resolve: { scale: { color: 'independent' } },
  });
}
