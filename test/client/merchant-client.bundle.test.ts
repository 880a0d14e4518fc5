import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { build } from 'esbuild';
import ts from 'typescript';

const ROOT = path.resolve(__dirname, '../..');

/** Bundles a program that only uses the client, as a host's bundler does. */
async function bundle() {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export * from 'express-merchant-auth/client';`, resolveDir: ROOT },
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
  });
  return { inputs: Object.keys(metafile.inputs), bytes: gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length };
}

describe('The client in a bundle', () => {
  it('is one file that imports nothing', async () => {
    expect((await bundle()).inputs).to.deep.equal(['dist/client/index.mjs', '<stdin>']);
    const built = readFileSync(path.join(ROOT, 'dist/client/index.mjs'), 'utf8');
    expect(ts.preProcessFile(built, true, true).importedFiles).to.deep.equal([]);
  });

  it('has the size that README.md names, which is below 3 kB', async () => {
    const { bytes } = await bundle();
    expect(bytes).to.be.within(1_000, 3_000);
    const size = `${(Math.ceil(bytes / 100) / 10).toFixed(1)} kB minified and gzipped`;
    expect(readFileSync(path.join(ROOT, 'README.md'), 'utf8'), `The client has ${bytes} bytes`).to.contain(size);
  });

  it('uses only what every platform has: it compiles with the types of the web alone', () => {
    const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
      readonly config: { readonly compilerOptions: object };
    };
    const web = { ...config.compilerOptions, lib: ['es2022', 'dom', 'dom.iterable'], types: [] };
    const { options } = ts.convertCompilerOptionsFromJson(web, ROOT);
    const program = ts.createProgram([path.join(ROOT, 'test/types/client.ts')], options);
    const messages = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
    expect(messages).to.deep.equal([]);
  });
});
