import Module from 'node:module';
import path from 'node:path';
import express from 'express';
import * as auth from '../../src/index.js';

/** Express 5 and the package, for suites whose source does not see Express. */
export const FRAMEWORK = { auth, express };

/** One major version of Express, and a copy of the package that uses it. */
export interface Framework extends Readonly<typeof FRAMEWORK> {
  readonly major: 4 | 5;
}

interface LoadingModule {
  _load(request: string, ...rest: unknown[]): unknown;
}

const SRC = path.resolve(__dirname, '../../src') + path.sep;
const loader = Module as unknown as LoadingModule;

/** Loads a copy of the package with the module `name` as its peer dependency `express`. */
function load(major: 4 | 5, name: string): Framework {
  const originalLoad = loader._load.bind(Module);
  const own = Object.keys(require.cache).filter((file) => file.startsWith(SRC));
  const kept = own.map((file) => [file, require.cache[file]] as const);
  for (const file of own) Reflect.deleteProperty(require.cache, file);
  loader._load = (request, ...rest) => originalLoad(request === 'express' ? name : request, ...rest);
  try {
    return {
      major,
      express: require(name) as Framework['express'],
      auth: require('../../src/index.js') as Framework['auth'],
    };
  } finally {
    loader._load = originalLoad;
    for (const file of Object.keys(require.cache).filter((cached) => cached.startsWith(SRC))) {
      Reflect.deleteProperty(require.cache, file);
    }
    for (const [file, cached] of kept) require.cache[file] = cached;
  }
}

const frameworks = [load(4, 'express4'), load(5, 'express')];
let oldest: Framework | undefined;

/** Loads Express 4.18, the oldest that the package supports, only for the suites that use it. */
function loadOldest(): Framework {
  oldest ??= load(4, 'express4-18');
  return oldest;
}

export function onEachExpress(title: string, suite: (framework: Framework) => void): void {
  for (const framework of frameworks) {
    describe(`${title} (Express ${framework.major})`, () => suite(framework));
  }
}

/** Runs a suite on Express 4.18, 4.22 and 5. Their parsers leave different values in `req.body`. */
export function onEveryExpress(title: string, suite: (framework: Framework) => void): void {
  const [express4, express5] = frameworks as [Framework, Framework];
  const versions: readonly (readonly [string, Framework])[] = [
    ['4.18', loadOldest()],
    ['4.22', express4],
    ['5', express5],
  ];
  for (const [version, framework] of versions) {
    describe(`${title} (Express ${version})`, () => suite(framework));
  }
}
