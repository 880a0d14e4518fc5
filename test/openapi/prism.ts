import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ApiTool } from '../helpers/api-tools.js';
import { type Client, clientOf } from '../helpers/http.js';
import { writeDocument } from './run-tool.js';

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** A Prism that forwards requests, and compares requests and answers with a document. */
export interface PrismProxy {
  readonly port: number;
  readonly client: Client;
  /** Ends Prism and returns what it found, each with the request: `post /v1/login > response.body ...`. */
  stop(): Promise<readonly string[]>;
}

const children = new Set<Child>();

after('end each Prism', () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

/** Starts a Prism in front of a server on loopback. */
export async function startPrism(prism: ApiTool, document: object, upstreamPort: number): Promise<PrismProxy> {
  const upstream = `http://127.0.0.1:${upstreamPort}`;
  // Without `--cors=false`, Prism answers OPTIONS itself.
  const { child, port, ended } = await spawnPrism(prism, writeDocument(document), upstream, '--cors=false');
  return {
    port,
    client: clientOf(port),
    async stop() {
      child.kill();
      const [stdout, stderr] = await ended;
      if (stderr !== '') throw new Error(`Prism wrote: ${stderr}`);
      return violationsIn(stdout);
    },
  };
}

/** Starts Prism as a proxy on a free port, and waits until it listens. */
async function spawnPrism(prism: ApiTool, ...args: readonly string[]) {
  const child: Child = spawn(prism.file, [...prism.args, 'proxy', ...args, '--port=0'], {
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const failed = ended.then(([stdout, stderr]) => {
    throw new Error(`Prism ended before it listened: ${stdout}${stderr}`);
  });
  return { child, ended, port: await Promise.race([portIn(child.stdout), failed]) };
}

async function portIn(stdout: Readable): Promise<number> {
  let printed = '';
  for (;;) {
    printed += ((await once(stdout, 'data')) as [Buffer]).toString();
    const port = /Prism is listening on http:\/\/[^\s"]+:(\d+)/.exec(printed)?.[1];
    if (port !== undefined) return Number(port);
  }
}

/** Finds the violations in the log of requests that were sent one after another. */
function violationsIn(log: string): string[] {
  let request = '';
  const violations: string[] = [];
  for (const line of log.split('\n')) {
    request = /\[HTTP SERVER\] (\S+ \S+)/.exec(line)?.[1] ?? request;
    const violation = /Violation: (.+)$/.exec(line)?.[1];
    if (violation !== undefined) violations.push(`${request} > ${violation}`);
  }
  return violations;
}
