import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { build } from 'esbuild';
import type { Figures, Row, Run } from '../harness/rows.js';
import { spreadOf } from '../harness/statistics.js';

const ROOT = path.resolve(__dirname, '../../..');
const HELD = '10,000 live tokens, MB held';
const HELD_LATER = '100,000 tokens seen, MB held';

function measureMemory({ node }: Run): Promise<Figures> {
  const file = path.join(__dirname, 'token-holder.js');
  const output = execFileSync(node.path, ['--expose-gc', file], { encoding: 'utf8' });
  const [live, later] = (JSON.parse(output) as number[]).map((bytes) => spreadOf([bytes / 1e6]));
  if (live === undefined || later === undefined) throw new Error(`${file} printed ${output}`);
  return Promise.resolve({ [HELD]: live, [HELD_LATER]: later });
}

export const memory: Row = {
  measures: 'the memory that verified tokens hold',
  targets: { [HELD]: { atMost: 16 } },
  measure: measureMemory,
};

const REQUIRE = 'require over Express, ms';
const BUNDLE = 'guard-only bundle from import, minified, kB';

/** Loads Express first, because the host has loaded it anyway. */
const LOAD = `
  const started = performance.now();
  require('express');
  const express = performance.now();
  const { createTokens, requireBearer } = require('express-merchant-auth');
  const loaded = performance.now();
  requireBearer({ tokens: createTokens({ secret: require('node:crypto').randomBytes(48) }) });
  console.log(JSON.stringify([express - started, loaded - express, performance.now() - loaded]));`;

/** A module that only guards. The bundle leaves Express out, because the host has it anyway. */
const GUARD_ONLY = `
  import { authErrorHandler, requireBearer, requireOwnReference } from 'express-merchant-auth';
  console.log(authErrorHandler, requireBearer, requireOwnReference);`;

async function measureLoading({ node, rounds }: Run): Promise<Figures> {
  const times = Array.from({ length: rounds }, () => {
    const output = execFileSync(node.path, ['--eval', LOAD], { cwd: ROOT, encoding: 'utf8' });
    return JSON.parse(output) as number[];
  });
  const timeOf = (place: number) => spreadOf(times.map((all) => all[place] ?? Number.NaN));
  const { outputFiles } = await build({
    stdin: { contents: GUARD_ONLY, resolveDir: ROOT },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    // Binaries do not count.
    loader: { '.node': 'empty' },
    external: ['express'],
    write: false,
    logLevel: 'error',
  });
  const bytes = outputFiles.reduce((total, { contents }) => total + contents.byteLength, 0);
  return {
    [REQUIRE]: timeOf(1),
    'first guard after require, ms': timeOf(2),
    'require of Express, ms': timeOf(0),
    [BUNDLE]: spreadOf([bytes / 1_000]),
  };
}

export const loading: Row = {
  measures: 'the time of require, and the size of a bundle that only guards',
  targets: { [REQUIRE]: { atMost: 60 }, [BUNDLE]: { atMost: 150 } },
  measure: measureLoading,
};
