import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { drawFlood } from './draw-flood.js';

// Draws docs/login-flood.svg: the metrics of the example app while strangers guess passwords.

const PACE = { quietMs: 5_000, floodMs: 15_000 };

async function main(): Promise<void> {
  console.log(`Strangers guess passwords for ${PACE.floodMs / 1000} s.`);
  const root = path.dirname(createRequire(__filename).resolve('express-merchant-auth/package.json'));
  const target = path.join(root, 'docs/login-flood.svg');
  await writeFile(target, `${await drawFlood(PACE)}\n`);
  console.log(`Drawn to ${path.relative(root, target)}.`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
