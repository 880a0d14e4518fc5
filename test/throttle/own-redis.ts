import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../helpers/ports.js';
import { disconnect } from '../helpers/redis.js';

/** A redis-server of this process, for tests that would disturb a shared server. */
export interface OwnRedis {
  readonly port: number;
  /** Sends one command as the administrator. */
  command(name: string, ...args: (string | number)[]): Promise<unknown>;
  stop(): Promise<void>;
}

/** False where no redis-server is installed. */
export const hasRedisServer = spawnSync('redis-server', ['--version']).status === 0;

const running = new Set<OwnRedis>();

/** Starts an empty redis-server in a temporary directory. */
export async function startRedis(): Promise<OwnRedis> {
  const port = await freePort();
  const dir = mkdtempSync(path.join(tmpdir(), 'ema-redis-'));
  const settings = ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] });
  await untilReady(server);
  const admin = new Redis({ host: '127.0.0.1', port });
  const own: OwnRedis = {
    port,
    command: (name, ...args) => admin.call(name, ...args),
    async stop() {
      running.delete(own);
      await disconnect(admin);
      if (server.exitCode === null) {
        server.kill('SIGKILL');
        await once(server, 'exit');
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
  running.add(own);
  return own;
}

function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    server.stdout?.on('data', (chunk: Buffer) => {
      output += String(chunk);
      if (output.includes('Ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(`redis-server did not start: ${output}`)));
  });
}

after('stop the Redis servers', async () => {
  for (const own of running) await own.stop();
});
