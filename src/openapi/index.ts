export {
  guardedResponses,
  type LoginOperation,
  openApi,
  type OpenApiDocument,
  type OpenApiOptions,
  type ReferenceObject,
} from './open-api.js';
export type { ErrorResponse } from './responses.js';
