// A thin wrapper, as that of the package itself.
export type * from './index.js';
export { guardedResponses, openApi } from './index.js';
