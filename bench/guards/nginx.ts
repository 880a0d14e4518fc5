import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Front } from './stand.js';

/** Debian installs nginx in a folder that is only in the PATH of root. */
const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}${path.delimiter}/usr/sbin` };

export const isNginxMissing = () => spawnSync('nginx', ['-v'], { env, stdio: 'ignore' }).error !== undefined;

/** Linux gives servers ports from 32,768 to 60,999. The result is below that range. */
const frontOf = (port: number) => port - 30_000;
const OPEN = 'keepalive_requests 1000000000; keepalive_timeout 1h;';
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** Keeps all connections open, all files in one folder, and nginx on the core of the client. */
const configOf = (ports: readonly number[]) => `
  pid nginx.pid;
  ${availableParallelism() > 1 ? 'worker_cpu_affinity 10;' : ''}
  events { worker_connections 8192; }
  http {
    access_log off; proxy_http_version 1.1; proxy_set_header Connection ""; ${OPEN}
    ${TEMPORARY.map((name) => `${name}_temp_path ${name};`).join('\n')}
    ${ports.map((port) => `upstream to${port} { server 127.0.0.1:${port}; keepalive 256; ${OPEN} }`).join('\n')}
    ${ports.map((port) => `server { listen 127.0.0.1:${frontOf(port)}; location / { proxy_pass http://to${port}; } }`).join('\n')}
  }`;

/** Runs nginx in front of servers, with a port for each of them. */
export const behindNginx: Front = async (ports, use) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-nginx-'));
  writeFileSync(path.join(folder, 'nginx.conf'), configOf(ports));
  const args = ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;'];
  const child = spawn('nginx', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const exit = once(child, 'exit');
  const fronts = ports.map(frontOf);
  const isUp = () => fetch(`http://127.0.0.1:${fronts[0] ?? ''}/`).then(Boolean, () => false);
  try {
    while (child.exitCode === null && !(await isUp())) await sleep(50);
    return await use(fronts);
  } finally {
    child.kill();
    await exit;
    rmSync(folder, { recursive: true });
  }
};
