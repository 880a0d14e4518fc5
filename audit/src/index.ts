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
export { auditRows, type AuditRowsOptions } from './rows/audit-rows.js';
export type { RowAudit } from './rows/report.js';
export type { RowCaller } from './rows/client.js';
export type { ContractCase } from 'express-merchant-auth/testing';
