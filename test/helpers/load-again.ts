/** Loads a module again, with its state of a new process. `file` is from `require.resolve`. */
export function loadAgain<Module>(file: string): Module {
  const cached = require.cache[file];
  Reflect.deleteProperty(require.cache, file);
  try {
    return require(file) as Module;
  } finally {
    if (cached !== undefined) require.cache[file] = cached;
  }
}
