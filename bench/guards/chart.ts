import type { TopLevelSpec } from 'vega-lite';
import { type CaseResult } from './cases.js';
import { GUARD_NAMES } from './guards.js';
import { plainCase } from './report.js';

const SHOWN = ['HS256', 'RS256'] as const;
const COLORS = { mine: '#1f6f54', others: '#b8bfc6' };
const WIDTH = 460;
const BAR_HEIGHT = 24;

/** A bar for each guard: its requests per second relative to bare Express 5, one good token over and over. */
export async function drawChart(results: readonly CaseResult[]): Promise<string> {
  // Both are modules that only `import()` can load.
  const [vega, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
  const { spec } = vegaLite.compile(specOf(results));
  return new vega.View(vega.parse(spec), { renderer: 'none' }).toSVG();
}

function specOf(results: readonly CaseResult[]): TopLevelSpec {
  const values = SHOWN.flatMap((algorithm) => {
    const guards = plainCase(results, 5, algorithm)?.guards;
    if (guards === undefined) return [];
    return GUARD_NAMES.map((guard) => ({
      algorithm,
      guard,
      ratio: guards[guard].over.bare.rate.median,
      isMine: guard === 'complete guard',
    }));
  });
  return {
    background: 'white',
    padding: 16,
    title: { text: 'Requests per second relative to bare Express 5', anchor: 'start', offset: 12 },
    data: { values },
    facet: {
      row: { field: 'algorithm', title: null, header: { labelAngle: 0, labelAlign: 'left', labelFontSize: 13 } },
    },
    spec: {
      width: WIDTH,
      height: { step: BAR_HEIGHT },
      encoding: {
        y: { field: 'guard', type: 'nominal', sort: [...GUARD_NAMES], title: null, axis: { labelLimit: 320 } },
        x: { field: 'ratio', type: 'quantitative', title: null },
      },
      layer: [
        {
          mark: { type: 'bar', cornerRadiusEnd: 2 },
          encoding: {
            color: { condition: { test: 'datum.isMine', value: COLORS.mine }, value: COLORS.others },
          },
        },
        {
          mark: { type: 'text', align: 'left', dx: 4 },
          encoding: { text: { field: 'ratio', type: 'quantitative', format: '.2f' } },
        },
      ],
    },
    config: { font: 'Helvetica, Arial, sans-serif', axis: { domain: false, ticks: false, labelFontSize: 12 } },
  };
}
