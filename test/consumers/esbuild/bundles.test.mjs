import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { createTokens } from 'express-merchant-auth';
import { AWA, casesOf, guardedCasesOf } from '../shared/cases.cjs';

const directory = path.join(import.meta.dirname, 'build');

const FORMATS = {
  cjs: {},
  // CommonJS code in a bundle of ES modules calls `require` for the modules of Node.js.
  esm: {
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  },
};

/** Bundles a host with the options of docs/existing-app.md, and resolves to its exports. */
async function bundle(host, format) {
  const outfile = path.join(directory, `${host}.${format === 'cjs' ? 'cjs' : 'mjs'}`);
  await build({
    ...FORMATS[format],
    entryPoints: [path.join(import.meta.dirname, `${host}.mjs`)],
    outfile,
    format,
    bundle: true,
    platform: 'node',
  });
  return import(pathToFileURL(outfile));
}

for (const format of Object.keys(FORMATS)) {
  const host = bundle('host', format);
  const guardOnly = bundle('guard-only', format);
  const token = createTokens().issue(AWA);
  for (const { name, run } of casesOf(async () => (await host).createApp())) {
    test(`in the ${format} bundle of a host, ${name}`, run);
  }
  for (const { name, run } of guardedCasesOf(async () => (await guardOnly).createApp(), token)) {
    test(`in the ${format} bundle of a service that only guards, ${name}`, run);
  }
}
