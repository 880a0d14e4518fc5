import type { IncomingMessage } from 'node:http';
import { isReportedAs, reportOwnershipRefusal } from '../events/report-refusal.js';
import { createWarn } from '../events/warning.js';
import { sourceOf } from '../http/source.js';
import type { Guarded } from './merchant.js';

const warn = createWarn();

const REPORTED =
  'requireBearer let a request pass that it refuses without reference: "reported". The events ownership_refused with ' +
  'enforced: false name the merchants. Remove the option when these events have stopped.';

/**
 * Runs an ownership check. With `reference: 'reported'`, a reference that the check refuses is only reported as an
 * event.
 * @throws every other error of the check
 */
export function enforce(req: IncomingMessage, { merchant, guard }: Guarded, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!isReportedAs('ownership_refused', error) || guard.reference !== 'reported') throw error;
    const { realm } = guard;
    reportOwnershipRefusal(error, () => ({ realm, source: sourceOf(req), accountId: merchant.id, enforced: false }));
    warn('EMA_REFERENCE_REPORTED', REPORTED);
  }
}
