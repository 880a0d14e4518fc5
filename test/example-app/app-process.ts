import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

type Child = ChildProcessByStdio<null, Readable, Readable>;

const MAIN = path.resolve(__dirname, '../../example-app/dist/main.js');

export const SECRET = 'the secret of the example, 32 bytes or more';

/** A limit that no test reaches. */
const UNLIMITED = '1000000000';

const TRY = `Try: curl -s {url}/v1/login -H 'Content-Type: application/json' -d '{"email":"awa@boutique.example","password":"baobab-2026"}'`;

/** Returns the text that a quiet process prints from its start to its stop. */
export function outputUntilStop(port: number, signal: string, firstCall = TRY): string {
  const url = `http://localhost:${port}`;
  return `Listening on ${url}\n${firstCall.replace('{url}', url)}\nOr open ${url}\nStopping because of ${signal}\n`;
}

/** The output and the exit of a process. */
interface Ending {
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

/** An app that accepts connections. */
export interface StartedApp extends AppProcess {
  readonly port: number;
  readonly url: string;
  /** Returns its output until now. */
  printed(): string;
}

const children = new Set<Child>();

afterEach('end the processes', () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

/** Starts the app, on a free port unless `env` names one. */
export function spawnApp(env: NodeJS.ProcessEnv = {}): AppProcess {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, JWT_SECRET: SECRET, PORT: '0', REQUESTS_PER_MINUTE: UNLIMITED, ...env },
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

/** Starts the app and waits for the address that it prints. */
export async function startApp(env: NodeJS.ProcessEnv = {}): Promise<StartedApp> {
  const app = spawnApp(env);
  const failed = app.ending.then(({ stderr }) => {
    throw new Error(`The app ended before it listened: ${stderr}`);
  });
  let output = '';
  app.child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const port = await Promise.race([portIn(app.child.stdout, () => output), failed]);
  return { ...app, port, url: `http://127.0.0.1:${port}`, printed: () => output };
}

async function portIn(stdout: Readable, printed: () => string): Promise<number> {
  for (;;) {
    await once(stdout, 'data');
    const port = /Listening on http:\/\/[^\s"]+:(\d+)/.exec(printed())?.[1];
    if (port !== undefined) return Number(port);
  }
}

/** Stops the app with SIGTERM. Asserts that it exits with 0, and returns its output. */
export async function stop({ child, ending }: AppProcess): Promise<Ending> {
  child.kill('SIGTERM');
  const ended = await ending;
  expect(ended).to.include({ code: 0, signal: null });
  return ended;
}
