export { type ContractCase, type SeedAccount, type StoreUnderTest, userStoreContract } from './user-store-contract.js';
