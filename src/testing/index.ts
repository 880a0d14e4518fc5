export { createTestTokens, type TestTokens } from './test-tokens.js';
export { type ContractCase, type SeedAccount, type StoreUnderTest, userStoreContract } from './user-store-contract.js';
