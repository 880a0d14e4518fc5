// The types only: `npm run build:client` replaces the JavaScript of this file, because browsers cannot load CommonJS.
export * from './index.js';
