export { caseOf, type ContractCase, leaveOutUnless } from './user-store-contract/contract-case.js';
export { Violation } from './user-store-contract/messages.js';
export type { SeedAccount, StoreUnderTest } from './user-store-contract/store-under-test.js';
export { createTestTokens, type TestTokens } from './test-tokens.js';
export { userStoreContract } from './user-store-contract/user-store-contract.js';
