// Runs the sources as `tsc` emits them, because c8 maps coverage back line by line. A transpiler that prints a file on one
// line would make lines that never ran look covered.
import { readFileSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import process from 'node:process';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');
const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
const compilerOptions = { ...options, noEmit: false, inlineSourceMap: true, inlineSources: true };

const emitted = new Map();

Module._extensions['.ts'] = (module, fileName) => {
  if (!emitted.has(fileName)) {
    const source = readFileSync(fileName, 'utf8');
    emitted.set(fileName, ts.transpileModule(source, { compilerOptions, fileName }).outputText);
  }
  module._compile(emitted.get(fileName), fileName);
};

// Imports name the emitted file, so './errors.js' is errors.ts here.
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function resolve(request, parent, ...rest) {
  const isSource = parent?.filename?.endsWith('.ts') && /^\.{1,2}\/.*\.js$/.test(request);
  if (!isSource) return resolveFilename.call(this, request, parent, ...rest);
  try {
    return resolveFilename.call(this, request.replace(/js$/, 'ts'), parent, ...rest);
  } catch {
    return resolveFilename.call(this, request, parent, ...rest);
  }
};

process.setSourceMapsEnabled(true);
