import { type ChildProcess, execFileSync, fork, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The commands of another process. Arguments and results travel as JSON. */
export type Commands = Readonly<Record<string, (argument: never) => unknown>>;

/** Servers and clients have different cores, so that they do not compete. */
const CORES = { server: 0, client: 1 } as const;

/** Default: the executable that runs, and all cores. */
type Start = Readonly<{ node?: string; core?: keyof typeof CORES | undefined }>;

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Another process, as the process that started it sees it. */
export class Remote<Known extends Commands> {
  readonly #child: ChildProcess;
  readonly #death: Promise<Error>;
  readonly #pending = new Map<number, (reply: Reply) => void>();
  #lastId = 0;

  /** Starts `file`, which calls `obey`. */
  constructor(file: string, { node = process.execPath, core }: Start = {}) {
    this.#child = fork(file, { execPath: node, execArgv: [], env: { ...process.env, NODE_ENV: 'production' } });
    if (core !== undefined) keepOnCore(CORES[core], this.#child.pid);
    this.#child.on('message', (reply: Reply) => this.#pending.get(reply.id)?.(reply));
    this.#death = new Promise((resolve) => {
      this.#child.once('error', resolve);
      this.#child.once('exit', (code, signal) => {
        resolve(new Error(`${file} ended with ${signal ?? `code ${code ?? 'unknown'}`}.`));
      });
    });
  }

  /** @throws Error when the command fails, or when the process ends before it answers */
  async call<Name extends keyof Known & string>(
    name: Name,
    ...[argument]: Parameters<Known[Name]>
  ): Promise<Awaited<ReturnType<Known[Name]>>> {
    const id = ++this.#lastId;
    const reply = new Promise<Reply>((resolve) => this.#pending.set(id, resolve));
    if (this.#child.connected) this.#child.send({ id, name, argument });
    const { result, error } = await Promise.race([reply, this.#death.then((death) => Promise.reject(death))]);
    this.#pending.delete(id);
    if (error !== undefined) throw new Error(error);
    return result as Awaited<ReturnType<Known[Name]>>;
  }

  /** Ends the process. Does nothing when it has ended. */
  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#death;
  }
}

/** Runs the commands that the parent process sends, and ends together with that process. */
export function obey(commands: Commands): void {
  const known = commands as Record<string, (argument: unknown) => unknown>;
  process.on('message', ({ id, name, argument }: { id: number; name: string; argument: unknown }) => {
    const run = () => known[name]?.(argument);
    Promise.resolve()
      .then(run)
      .then(
        (result) => process.send?.({ id, result } satisfies Reply),
        (error: unknown) => process.send?.({ id, error: String(error) } satisfies Reply),
      );
  });
  process.once('disconnect', () => process.exit());
}

/** Does nothing on a machine with one core, or without `taskset`. */
function keepOnCore(core: number, pid: number | undefined): void {
  if (pid === undefined || availableParallelism() < 2) return;
  spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' });
}

/** An executable of Node.js, and its version without the `v`. */
export interface NodeLine {
  readonly path: string;
  readonly version: string;
}

/** Finds the executable of the npm package `node@LINE`. npm installs a missing one into its own cache. */
export function nodeOf(line: string): NodeLine {
  const print = 'node -p "JSON.stringify({ path: process.execPath, version: process.versions.node })"';
  const args = ['exec', '--yes', '--silent', `--package=node@${line}`, '--call', print];
  return JSON.parse(execFileSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' })) as NodeLine;
}
