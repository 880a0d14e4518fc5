export { auditRoutes, type AuditRoutesOptions, type RouteAudit } from './ask/audit-routes.js';
export type { AuditedRoute } from './ask/row.js';
export { authContract } from './contract/auth-contract.js';
export type {
  Caller,
  HostUnderTest,
  OwnLogin,
  Resource,
  RouteRequest,
  TestMerchant,
} from './contract/host-under-test.js';
export type { ContractCase } from 'express-merchant-auth/testing';
