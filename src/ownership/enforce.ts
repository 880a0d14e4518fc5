import type { IncomingMessage } from 'node:http';
import { AuthError } from '../errors/auth-error.js';
import { entryOf } from '../errors/catalogue.js';
import { reportRefusal } from '../events/report-refusal.js';
import { createWarn } from '../events/warning.js';
import { determineSource } from '../sources/determine-source.js';
import type { Guarded } from './merchant.js';

const warn = createWarn();

/** The guard and each `requireOwnReference` find the same reference again. */
const reported = new WeakSet<IncomingMessage>();

const REPORTED =
  'requireBearer let a request pass that it refuses without reference: "reported". The events ownership_refused with ' +
  'enforced: false name the merchants. Remove the option when these events have stopped.';

/**
 * Runs a check, and reports its refusal as an event. With `reference: 'reported'`, a refusal is reported once for each
 * request and not thrown, unless the host has to fix the cause.
 */
export async function enforce(
  req: IncomingMessage,
  { merchant, settings }: Guarded,
  check: () => unknown,
): Promise<void> {
  const { realm, reference } = settings;
  try {
    await check();
  } catch (error) {
    const isOurs = error instanceof AuthError && entryOf(error.code).event === 'ownership_refused';
    const isFinding = isOurs && !error.hostSide;
    const enforced = reference !== 'reported' || !isFinding;
    if (enforced || !reported.has(req)) {
      const { id: accountId } = merchant;
      reportRefusal(error, () => ({ realm, source: determineSource(req).source, accountId, enforced }));
    }
    if (isFinding && error.code === 'unreadable_body') warn('EMA_UNREADABLE_BODY', error.detail);
    if (enforced) throw error;
    reported.add(req);
    warn('EMA_REFERENCE_REPORTED', REPORTED);
  }
}
