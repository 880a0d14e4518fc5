import type { Route } from './express-types.js';
import type { Answer, Ran } from './trail.js';

export type Verdict = 'open' | 'openWithInput' | 'refused' | 'unclear' | 'unreached';

/** An answer, after functions were left out that answer for another reason than the caller. */
export interface Outcome extends Answer {
  /** The function that answered. */
  readonly by: Ran | undefined;
  /** The functions that were left out and wait for the right input. */
  readonly inputs: readonly Ran[];
}

export interface Judged {
  readonly verdict: Verdict;
  readonly outcome?: Outcome | undefined;
  /** The function that answered. */
  readonly by?: Ran | undefined;
  /** The functions of the route that run before its guard. */
  readonly early: readonly string[];
}

/** Some apps refuse a stranger with 400, 404 or 422, and say so only in the text. */
const ASKS_WHO =
  /un-?auth|not auth|authenti|authoriz|credential|(?:no|missing|invalid|need|require)\w* (?:\w+ )?(?:token|session|jwt|api.?key)|(?:token|session|jwt|api.?key) (?:is |was )?(?:missing|required|not|invalid)|log(?:ged)? ?in|sign(?:ed)? ?in/i;
const REFUSALS = new Set([301, 302, 303, 307, 401, 403, 407]);
const REFUSALS_BY_TEXT = new Set([400, 404, 422]);
/** Statuses of a validator, a lookup or a limiter, which say nothing about the caller. */
const NOT_AUTH = new Set([400, 404, 405, 406, 409, 410, 411, 413, 415, 418, 422, 426, 428, 429]);

export function isOk({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

export function isRefusal(answer: Answer): boolean {
  const { reached, status, text } = answer;
  if (reached || isSamePath(answer)) return false;
  return REFUSALS.has(status) || (REFUSALS_BY_TEXT.has(status) && ASKS_WHO.test(text));
}

/** Returns true for an answer that says nothing about the caller. */
export function isBesideThePoint(answer: Answer): boolean {
  return !isRefusal(answer) && (NOT_AUTH.has(answer.status) || isSamePath(answer));
}

/** Returns true for a redirect to the same path, for example to https. */
function isSamePath({ location, path }: Answer): boolean {
  const pathOf = (url: string) => new URL(url, 'http://localhost').pathname.replace(/\/$/, '').toLowerCase();
  const to = String(location);
  return location !== undefined && URL.canParse(to, 'http://localhost') && pathOf(to) === pathOf(path);
}

/** Judges a route by the worst of its answers. An answer of another route tells nothing about this one. */
export function judge(outcomes: readonly Outcome[], route: Route, order: number): Judged {
  const own = outcomes.filter(({ reached, by }) => {
    if (reached || !by) return reached === route;
    return by.order <= order && (!by.route || by.route === route || by.isThrough);
  });
  const reached = own.filter((outcome) => outcome.reached === route);
  const open =
    reached.find(({ inputs }) => inputs.length === 0) ?? own.find((one) => isOk(one) && one.by?.route === route);
  const outcome = open ?? reached[0] ?? own.find(isRefusal) ?? own[0];
  if (!outcome) return { verdict: 'unreached', early: [] };
  if (open) return { verdict: 'open', outcome, by: outcome.by, early: [] };
  const verdict = outcome.reached ? 'openWithInput' : isRefusal(outcome) ? 'refused' : 'unclear';
  return { verdict, outcome, by: outcome.by ?? outcome.inputs.at(-1), early: earlyIn(outcome, route) };
}

function earlyIn({ ran, by, inputs }: Outcome, route: Route): string[] {
  return ran
    .filter((one) => one !== by && (one.route === route || one.isParam === true || inputs.includes(one)))
    .map((one) => (inputs.includes(one) ? `${one.name} answers` : one.name));
}
