export { createMerchantClient, type MerchantClient } from './merchant-client.js';
export { MerchantApiError } from './merchant-api-error.js';
export type { LoginSuccess } from './login.js';
export type { MerchantClientOptions } from './client-options.js';
export type { CachedToken, TokenCache } from './token-cache.js';
