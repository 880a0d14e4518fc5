import { readFileSync } from 'node:fs';

/** What all threads of this process have worked since it began, in milliseconds. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The same of the thread that JavaScript runs on; NaN where the system does not tell. */
export function loopCpuTime(): number {
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return Number.NaN;
  }
}
