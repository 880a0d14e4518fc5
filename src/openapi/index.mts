// A thin wrapper, so that `require` and `import` share one instance.
export type * from './index.js';
export { guardedResponses, openApi } from './index.js';
