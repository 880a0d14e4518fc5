import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import path from 'node:path';

const PROJECT = path.resolve(__dirname, '../../..');

/** What a measurement was made on. Nothing here names the machine or its user. */
export function machineFacts() {
  return {
    node: process.version,
    libuv: process.versions.uv,
    platform: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    libuvThreads: Number(process.env['UV_THREADPOOL_SIZE'] ?? 4),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    openFiles: openFilesLimit() ?? null,
    /** Of the last minute, when the run began: what others were doing with the cores. */
    loadAverage: Number(loadavg()[0]?.toFixed(2)),
  };
}

export type MachineFacts = ReturnType<typeof machineFacts>;

export function machineLine(machine: MachineFacts, versions: Readonly<Record<string, string>>): string {
  const { node, platform, processor, cores, libuvThreads, memoryGiB, loadAverage } = machine;
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `Node.js ${node}, ${names.join(', ')}`,
    `${platform}, ${processor}, ${cores} cores, ${libuvThreads} threads of libuv, ${memoryGiB} GiB, load ${loadAverage}`,
  ].join('\n');
}

/** The versions that are installed, this package's own included. */
export function versionsOf(names: readonly string[]): Record<string, string> {
  const versionIn = (folder: string) =>
    (JSON.parse(readFileSync(path.join(PROJECT, folder, 'package.json'), 'utf8')) as { version: string }).version;
  return {
    'express-merchant-auth': versionIn('.'),
    ...Object.fromEntries(names.map((name) => [name, versionIn(`node_modules/${name}`)])),
  };
}

/** How many files and sockets this process and the ones it starts may have open; `undefined` for no limit. */
export function openFilesLimit(): number | undefined {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isFinite(limit) ? limit : undefined;
}
