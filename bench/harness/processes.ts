import { execFileSync, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import path from 'node:path';

/** A program that serves HTTP, and prints `Listening on` with its address. */
export interface Program {
  readonly file: string;
  /** The program gets it as JSON in its first argument. */
  readonly setup?: object;
  readonly env?: NodeJS.ProcessEnv;
  /** Leaves the other cores to the client. Default: all cores. */
  readonly isOnFirstCore?: boolean;
}

/** A server in another process. */
export interface Server {
  readonly port: number;
  /** Returns the processor time of all its threads since its start, in microseconds. */
  readonly processorTime: () => Promise<number>;
  readonly end: () => Promise<void>;
}

/** @throws Error when the program ends before it listens */
export async function startServer(program: Program, node = process.execPath): Promise<Server> {
  const child = fork(program.file, [JSON.stringify(program.setup ?? {})], {
    execPath: node,
    execArgv: ['--require', path.join(__dirname, 'processor-time.js')],
    env: { ...process.env, NODE_ENV: 'production', ...program.env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  if (program.isOnFirstCore === true) keepOn(FIRST_CORE, child.pid);
  const death = new AbortController();
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => {
      death.abort();
      reject(new Error(`${program.file} ended before it listened.`));
    });
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      const address = /Listening on http:[^\s"]*:(\d+)/.exec(part);
      if (address !== null) resolve(Number(address[1]));
    });
  });
  return {
    port,
    async processorTime() {
      child.send('processor time');
      const [time] = (await once(child, 'message', death)) as [number];
      return time;
    },
    async end() {
      child.kill();
      if (!death.signal.aborted) await once(child, 'exit');
    },
  };
}

const CORES = availableParallelism();
const FIRST_CORE = '0';
export const SECOND_CORE = '1';
export const ALL_CORES = `0-${CORES - 1}`;

/** Does nothing on a machine with one core, or without `taskset`. */
export function keepOn(cores: string, pid = process.pid): void {
  if (CORES > 1) spawnSync('taskset', ['-a', '-c', '-p', cores, String(pid)], { stdio: 'ignore' });
}

/** An executable of Node.js, and its version without the `v`. */
export interface NodeLine {
  readonly path: string;
  readonly version: string;
}

/** Finds Node.js of this line, which is the one that runs or the npm package `node`. npm keeps it in its own cache. */
export function nodeOf(line: string): NodeLine {
  const own = { path: process.execPath, version: process.version.slice(1) };
  if (own.version.startsWith(`${line}.`)) return own;
  const print = 'node -p "JSON.stringify({ path: process.execPath, version: process.versions.node })"';
  const args = ['exec', '--yes', '--silent', `--package=node@${line}`, '--call', print];
  return JSON.parse(execFileSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' })) as NodeLine;
}
