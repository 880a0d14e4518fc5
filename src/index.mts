// One instance for `require` and `import`: the names are those of the CommonJS build.
export * from './index.js';
