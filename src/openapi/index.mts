// `require` and `import` must share one instance.
export type * from './index.js';
export { guardedResponses, openApi } from './index.js';
