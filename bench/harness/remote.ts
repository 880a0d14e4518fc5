import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** What another process can be asked to do. Arguments and results travel as JSON. */
export type Commands = Readonly<Record<string, (argument: never) => unknown>>;

interface Order {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}
interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}
interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: Error) => void;
}

/** A process of the benchmark ended although nobody told it to. */
export class ProcessDied extends Error {
  override readonly name = 'ProcessDied';
}

/** How long a death may take to be known after a client has lost its connection by it, in milliseconds. */
const DEATH_NOTICE_MS = 500;

/** Another process, seen from the one that measures. */
export class Remote<Known extends Commands> {
  readonly #child: ChildProcess;
  readonly #death: Promise<ProcessDied>;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;

  /** Starts `file`, which calls `obey`. */
  constructor(title: string, file: string, nodeFlags: readonly string[] = [], args: readonly string[] = []) {
    this.#child = fork(file, args, { execArgv: [...nodeFlags], env: { ...process.env, NODE_ENV: 'production' } });
    this.#child.on('message', (reply: Reply) => this.#settle(reply));
    this.#death = new Promise((resolve) => {
      const die = (how: string) => resolve(new ProcessDied(`The ${title} process ${how}.`));
      this.#child.once('error', (error) => die(`cannot be reached: ${error.message}`));
      this.#child.once('exit', (code, signal) => die(`ended with ${signal ?? `code ${code ?? 'unknown'}`}`));
    });
  }

  /** `undefined` when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** @throws ProcessDied when the process is gone, or goes before it has answered */
  call<Name extends keyof Known & string>(
    name: Name,
    ...[argument]: Parameters<Known[Name]>
  ): Promise<Awaited<ReturnType<Known[Name]>>> {
    const reply = new Promise<unknown>((resolve, reject) => {
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      if (this.#child.connected) this.#child.send({ id, name, argument } satisfies Order);
    });
    return Promise.race([reply as Promise<Awaited<ReturnType<Known[Name]>>>, this.#throwAtDeath()]);
  }

  /**
   * The result of work that needs this process.
   * @throws ProcessDied when the process goes meanwhile, whatever the work makes of that
   */
  async whileAlive<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await Promise.race([work, this.#throwAtDeath()]);
    } catch (error) {
      throw (await Promise.race([this.#death, sleep(DEATH_NOTICE_MS)])) ?? error;
    }
  }

  /** Lets it end. Does nothing when it has. */
  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#death;
  }

  #settle({ id, result, error }: Reply): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new Error(error));
  }

  async #throwAtDeath(): Promise<never> {
    throw await this.#death;
  }
}

/** Does in this process what the one that started it asks for, and ends with it. */
export function obey(commands: Commands): void {
  const run = commands as Record<string, (argument: unknown) => unknown>;
  process.on('message', ({ id, name, argument }: Order) => {
    Promise.resolve(argument)
      .then((given) => run[name]?.(given))
      .then(
        (result) => process.send?.({ id, result } satisfies Reply),
        (error: unknown) => process.send?.({ id, error: String(error) } satisfies Reply),
      );
  });
  process.once('disconnect', () => process.exit());
}
