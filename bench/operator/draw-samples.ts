import type { TopLevelSpec } from 'vega-lite';
import { PANELS, type Sample } from './samples.js';

/** Draws a line for each series, in the panel of the sample. Returns the picture as SVG. */
export async function drawSamples(values: readonly Sample[]): Promise<string> {
  // Both are modules that only `import()` can load.
  const [vega, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
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
  const spec: TopLevelSpec = {
    background: 'white',
    padding: 16,
    data: { values: [...values] },
    vconcat: PANELS.map(panel),
    resolve: { scale: { color: 'independent' } },
    config: { font: 'Helvetica, Arial, sans-serif', axis: { labelFontSize: 11 } },
  };
  return new vega.View(vega.parse(vegaLite.compile(spec).spec), { renderer: 'none' }).toSVG();
}
