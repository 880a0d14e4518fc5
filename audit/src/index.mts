export type * from './index.js';
export { auditRoutes, auditRows, authContract } from './index.js';
