import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from '../helpers/http.js';
import { connects, freePort } from '../helpers/ports.js';

/** False where no nginx is installed. */
export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

const stops = new Set<() => Promise<void>>();

/** An nginx for one test. */
interface Nginx {
  readonly port: number;
  /** Reloads it with other ports of loopback, and waits until it uses them. */
  forwardTo(...ports: readonly number[]): Promise<void>;
}

/**
 * Starts an nginx for this test. It forwards to these ports of loopback in turn.
 * @returns its port
 */
export async function startNginx(...ports: readonly number[]): Promise<number> {
  return (await startBalancer(...ports)).port;
}

/** Starts an nginx for this test, whose ports can change. It keeps its connections to them. */
export async function startBalancer(...ports: readonly number[]): Promise<Nginx> {
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'ema-nginx-'));
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(file, configuration(port, ports));
  const nginx = spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] });
  stops.add(async () => {
    if (nginx.exitCode === null) {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });
  while (!(await connects('127.0.0.1', port))) {
    if (nginx.exitCode !== null) throw new Error('nginx did not start.');
    await sleep(5);
  }
  return {
    port,
    async forwardTo(...next) {
      writeFileSync(file, configuration(port, next));
      nginx.kill('SIGHUP');
      while ((await clientOf(port).send('GET', '/upstreams')).text !== next.join()) await sleep(5);
    },
  };
}

function configuration(port: number, ports: readonly number[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  return `daemon off; pid nginx.pid; worker_processes 1;
events { worker_connections 256; }
http {
  ${temporary.join(' ')}
  access_log off;
  upstream service { ${ports.map((upstream) => `server 127.0.0.1:${upstream};`).join(' ')} keepalive 8; }
  server {
    listen 127.0.0.1:${port};
    location = /upstreams { return 200 "${ports.join()}"; }
    location / {
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}
`;
}

afterEach('stop nginx', async () => {
  for (const stop of stops) await stop();
  stops.clear();
});
