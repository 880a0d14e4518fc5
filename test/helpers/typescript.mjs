// Runs the sources as esbuild prints them: one statement on a line, so that c8 maps coverage back line by line.
import { readFileSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { transformSync } from 'esbuild';

const OPTIONS = {
  loader: 'ts',
  format: 'cjs',
  target: 'node20',
  sourcemap: 'inline',
  supported: { 'dynamic-import': true },
};

const ROOT = path.resolve(import.meta.dirname, '../..');
const emitted = new Map();

Module._extensions['.ts'] = (module, fileName) => {
  if (!emitted.has(fileName)) {
    const source = readFileSync(fileName, 'utf8');
    emitted.set(fileName, transformSync(source, { ...OPTIONS, sourcefile: fileName }).code);
  }
  module._compile(emitted.get(fileName), fileName);
};
/** The core, as the sources of `audit` import it. Their tests run the sources of both. */
const CORE = /^express-merchant-auth(?:\/(\w+))?$/;
const isOfAudit = (file) => file?.startsWith(path.join(ROOT, 'audit/src') + path.sep);
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function resolve(request, parent, ...rest) {
  const [core, entry = ''] = (isOfAudit(parent?.filename) ? CORE.exec(request) : null) ?? [];
  if (core !== undefined) return path.join(ROOT, 'src', entry, 'index.ts');
  const isSource = parent?.filename?.endsWith('.ts') && /^\.{1,2}\/.*\.js$/.test(request);
  if (!isSource) return resolveFilename.call(this, request, parent, ...rest);
  try {
    return resolveFilename.call(this, request.replace(/js$/, 'ts'), parent, ...rest);
  } catch {
    return resolveFilename.call(this, request, parent, ...rest);
  }
};

process.setSourceMapsEnabled(true);
