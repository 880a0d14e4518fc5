export type { ContractCase } from './user-store-contract/contract-case.js';
export type { SeedAccount, StoreUnderTest } from './user-store-contract/store-under-test.js';
export { createTestTokens, type TestTokens } from './test-tokens.js';
export { userStoreContract } from './user-store-contract/user-store-contract.js';
