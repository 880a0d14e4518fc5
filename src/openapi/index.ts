export { guardedResponses, openApi, type OpenApiDocument, type OpenApiOptions } from './open-api.js';
