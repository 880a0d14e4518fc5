import { clearLine, cursorTo } from 'node:readline';

const REDRAW_MS = 250;

/**
 * Says on stderr what is being measured: on a terminal while it is, with the seconds; and one line for each stage when it
 * is done.
 */
export async function stage<Result>(
  label: string,
  measure: () => Promise<Result>,
  summarise: (result: Result) => string,
): Promise<Result> {
  const startedAt = Date.now();
  const seconds = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
  const clear = () => {
    if (!process.stderr.isTTY) return;
    clearLine(process.stderr, 0);
    cursorTo(process.stderr, 0);
  };
  const draw = () => {
    clear();
    process.stderr.write(`${label} ... ${seconds()}`);
  };

  const timer = process.stderr.isTTY ? setInterval(draw, REDRAW_MS) : undefined;
  try {
    const result = await measure();
    clear();
    process.stderr.write(`${label}: ${summarise(result)} (${seconds()})\n`);
    return result;
  } finally {
    clearInterval(timer);
  }
}
