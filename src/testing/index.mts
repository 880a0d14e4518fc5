// A thin wrapper, as that of the package itself: tokens made by either are known to both.
export type * from './index.js';
export { createTestTokens, userStoreContract } from './index.js';
