import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { build } from 'esbuild';
import type * as source from '../src/index.js';

const ROOT = path.resolve(__dirname, '..');
const NAME = 'express-merchant-auth-client';

describe('The built client', () => {
  it('has the same names with `import` as with `require`, and no default', async () => {
    const required = createRequire(__filename)(NAME) as typeof source;
    const imported = (await import(NAME)) as typeof source;
    expect(Object.prototype.toString.call(imported)).to.equal('[object Module]');
    expect(Object.keys(imported).sort()).to.deep.equal(['MerchantApiError', 'createMerchantClient']);
    expect(Object.keys(required).sort()).to.deep.equal(Object.keys(imported).sort());
  });

  it('is one file in a bundle, with the size that its README names, which is below 5 kB', async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: `export * from '${NAME}';`, resolveDir: ROOT },
      absWorkingDir: ROOT,
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      format: 'esm',
    });
    expect(Object.keys(metafile.inputs)).to.deep.equal(['dist/index.mjs', '<stdin>']);
    const { length } = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 });
    expect(length).to.be.within(1_000, 5_000);
    const size = `${(Math.ceil(length / 100) / 10).toFixed(1)} kB minified and gzipped`;
    expect(readFileSync(path.join(ROOT, 'README.md'), 'utf8'), `The client has ${length} bytes`).to.contain(size);
  });
});
