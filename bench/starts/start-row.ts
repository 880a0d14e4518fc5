import path from 'node:path';
import { BARE, CONTROL } from '../harness/measure.js';
import { startServer } from '../harness/processes.js';
import type { Row } from '../harness/report.js';
import { alternate } from '../harness/statistics.js';
import type { Setup } from './server.js';

const LOGIN = 'guard, createLoginRouter';
const HAND_WIRED = 'hand-wired packages with Ajv';
const LABEL = 'start';
const APPS: readonly Setup['app'][] = [BARE, 'guard', 'guard, createLogin', LOGIN, HAND_WIRED];

/** Starts a process, and returns its processor time until it listens. */
async function start(app: Setup['app'], node: string): Promise<number> {
  const program = { file: path.join(__dirname, 'server.js'), setup: { app }, isOnFirstCore: true };
  const { processorTime, end } = await startServer(program, node);
  const time = await processorTime();
  await end();
  return time;
}

/** Measures the starts of processes, whose files the operating system has in its cache. */
export const starts: Row = {
  reference: LOGIN,
  targets: { [LABEL]: { [HAND_WIRED]: 0.9 } },
  async measure({ node, blocks }) {
    const turns = [[CONTROL, BARE] as const, ...APPS.map((app) => [app, app] as const)];
    const sides = new Map(turns.map(([name, app]) => [name, () => start(app, node)]));
    await alternate(sides, 1);
    return { [LABEL]: await alternate(sides, blocks * 2) };
  },
};
