// The types only: the build replaces the JavaScript of this file, because browsers cannot load CommonJS.
export * from './index.js';
