import path from 'node:path';
import { expect } from 'chai';
import { build } from 'esbuild';

/** Bundles the cases with the built client, for a platform that runs JavaScript only. It defines `cases.runCases`. */
export async function bundleCases(): Promise<string> {
  const { outputFiles, metafile } = await build({
    entryPoints: [path.join(__dirname, 'run-cases.ts')],
    absWorkingDir: path.resolve(__dirname, '../..'),
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'cases',
    target: 'es2022',
    metafile: true,
  });
  const outside = Object.keys(metafile.inputs).filter((file) => !file.startsWith('test/cases/'));
  expect(outside).to.deep.equal(['dist/index.mjs']);
  return outputFiles[0]?.text ?? '';
}
