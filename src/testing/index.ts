export type { SeedAccount, StoreUnderTest } from './store-under-test.js';
export { createTestTokens, type TestTokens } from './test-tokens.js';
export { type ContractCase, userStoreContract } from './user-store-contract.js';
