import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Client, clientOf } from '../helpers/http.js';

type Child = ChildProcessByStdio<null, Readable, Readable>;

const MAIN = path.resolve(__dirname, '../../example-app/dist/main.js');

export const SECRET = 'the secret of the example, 32 bytes or more';

/** What a process has said and how it ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `node example-app/dist/main.js`, for one test. */
export interface AppProcess {
  readonly child: Child;
  readonly ending: Promise<Ending>;
}

/** One that accepts connections. */
export interface StartedApp extends AppProcess {
  readonly port: number;
  readonly client: Client;
}

const children = new Set<Child>();

afterEach('end the processes', () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

/** Starts it, on a port that the system chooses unless `env` says otherwise. */
export function spawnApp(env: NodeJS.ProcessEnv = {}): AppProcess {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, JWT_SECRET: SECRET, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  return { child, ending: endingOf(child) };
}

async function endingOf(child: Child): Promise<Ending> {
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null, string | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, signal, stdout, stderr };
}

/** Starts it and waits for the line that it prints. */
export async function startApp(env: NodeJS.ProcessEnv = {}): Promise<StartedApp> {
  const app = spawnApp(env);
  const failed = app.ending.then(({ stderr }) => {
    throw new Error(`The app ended before it listened: ${stderr}`);
  });
  const [line] = (await Promise.race([once(app.child.stdout, 'data'), failed])) as [Buffer];
  const port = Number(/:(\d+)\n$/.exec(String(line))?.[1]);
  return { ...app, port, client: clientOf(port) };
}
