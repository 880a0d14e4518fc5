// `npm run types` compiles this file, and nothing runs it. The audit describes the mark of a handler again, because it
// imports no private file.
import type { HandlerMark } from '../../audit/src/audit-routes/marks.js';
import type { HandlerChecks } from '../../src/http/mark.js';

export const asAudited = (checks: HandlerChecks): HandlerMark => checks;
export const asMarked = (mark: HandlerMark): HandlerChecks => mark;
