import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Which core a process of the benchmark is to have. */
export const CORE = { server: 0, load: 1 } as const;

/**
 * Keeps a process and its threads on one core, so that what serves and what sends do not push each other around.
 * @returns whether it could: only with two cores, and with `taskset`
 */
export function keepOnCore(core: number, pid: number | undefined): boolean {
  if (pid === undefined || availableParallelism() < 2) return false;
  return spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' }).status === 0;
}
