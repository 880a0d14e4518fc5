export type * from './index.js';
export { auditRoutes, authContract } from './index.js';
