import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { mock } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createLoginThrottle, type ThrottleKeys } from '../../src/throttle/login-throttle.js';
import { connectIoredis, type TestRedis } from './redis.js';

/** Counts failures in another process. Resolves to the seconds to wait that the last failure returned. */
export async function failInAnotherProcess(redis: TestRedis, keys: ThrottleKeys, times: number): Promise<number> {
  const loader = pathToFileURL(path.join(__dirname, 'typescript.mjs')).href;
  const program = `require(${JSON.stringify(__filename)}).run(JSON.parse(process.argv[1]))`;
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--import',
      loader,
      '--eval',
      program,
      JSON.stringify({ redis, keys, times }),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  child.stdout.on('data', (bytes) => (said += String(bytes)));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`The other process ended with ${code}.`);
  return Number(said);
}

/** Counts the failures. The other process runs this function. */
export async function run(task: { redis: TestRedis; keys: ThrottleKeys; times: number }): Promise<void> {
  const connection = connectIoredis(task.redis);
  await connection.ready();
  // No call of a busy Redis times out.
  mock.timers.enable({ apis: ['setTimeout'] });
  const throttle = createLoginThrottle({ limiter: (options) => connection.limiter(options) });
  let seconds = 0;
  for (let time = 0; time < task.times; time++) seconds = await throttle.fail(task.keys);
  process.stdout.write(String(seconds));
  await connection.close();
}
