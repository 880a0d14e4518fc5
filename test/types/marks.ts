// `npm run types` compiles this file, and nothing runs it. The audit describes the mark of a handler again, because it
// imports nothing of express-merchant-auth.
import type { Mark } from '../../audit/src/ask/listen-in.js';
import type { HandlerChecks } from '../../src/http/mark.js';

export const asAudited = (checks: HandlerChecks): Mark => checks;
