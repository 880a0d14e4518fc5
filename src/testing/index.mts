// A thin wrapper, as that of the package itself: tokens made by either are known to both.
export type * from './index.js';
export { caseOf, createTestTokens, leaveOutUnless, userStoreContract, Violation } from './index.js';
