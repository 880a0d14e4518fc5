export { auditRoutes } from './audit-routes/audit-routes.js';
export type { AuditedRoute, BlindSpot, RouteAudit } from './audit-routes/route-audit.js';
export { authContract } from './auth-contract/auth-contract.js';
export type {
  Caller,
  HostUnderTest,
  OwnLogin,
  Resource,
  RouteRequest,
  TestMerchant,
} from './auth-contract/host-under-test.js';
export type { ContractCase } from 'express-merchant-auth/testing';
