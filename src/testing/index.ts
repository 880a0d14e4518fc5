export { authContract } from './auth-contract/auth-contract.js';
export type {
  Caller,
  HostUnderTest,
  OwnLogin,
  Resource,
  RouteRequest,
  TestMerchant,
} from './auth-contract/host-under-test.js';
export { auditRoutes } from './audit-routes/audit-routes.js';
export type { AuditedRoute, BlindSpot, RouteAudit } from './audit-routes/route-audit.js';
export type { ContractCase } from './left-out.js';
export type { SeedAccount, StoreUnderTest } from './user-store-contract/store-under-test.js';
export { createTestTokens, type TestTokens } from './test-tokens.js';
export { userStoreContract } from './user-store-contract/user-store-contract.js';
