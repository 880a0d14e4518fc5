import type { Route } from './express-types.js';
import { markOf, type Ran, type Trail } from './listen-in.js';

export type Verdict = 'open' | 'openWithInput' | 'refused' | 'unclear' | 'unreached';

export interface Judged {
  readonly verdict: Verdict;
  readonly trail?: Trail | undefined;
  readonly by?: Ran | undefined;
  /** Refused, but open in another shape of the path. */
  readonly isShape?: boolean;
}

const REFUSALS = new Set([401, 403, 407]);
/** Apps can refuse a stranger with these, and say so only in the text. */
const REFUSALS_BY_TEXT = new Set([400, 404, 422]);
/** Some apps answer everything with 200, and say in JSON that it failed. */
const SAYS_NO = /^\s*\{[^]*(?:"(?:success|ok|status)"\s*:\s*(?:false|"(?:error|fail))|"error"\s*:\s*(?:true|"))/i;
const ASKS_WHO =
  /un-?auth|not auth|authenticate|authoriz(?!ation)|auth\w+ation (?:header|token|required|failed)|\b(?:log(?:ged)?|sign(?:ed)?)[ -]?in\b(?!(?<=["']\w+)["'])/i;
/** Of every caller. Any stranger can fetch a token against forged requests. */
const REFUSES_ALL = /csrf|xsrf|too many|rate.?limit|\bhttps\b(?!:)|\borigin\b|\bcors\b/i;
/** Each of these can be input too: the token of `POST /reset-password`, or the authorization of a card. */
const ASKS_FOR_TOKEN =
  /(?:no|missing|invalid|need|require)\w* (?:\w+ )?(?:token|session|jwt|api.?key)|(?:token|session|jwt|api.?key)\W{1,4}(?:is |was )?(?:missing|required|not|invalid)|authenti|authorization|credential/i;
const LOGIN = /login|\blog[-_]?[io]n\b|sign[-_]?[iou][np](?![a-z])|auth(?!ors?\b)|\bsso\b/i;
/** Other paths to which apps send a stranger. */
const FOR_STRANGERS = /^\/$|session|denied|forbidden|welcome/i;
/** Of a validator, a lookup or a limiter. */
const NOT_AUTH = new Set([400, 404, 405, 406, 409, 410, 411, 413, 415, 418, 422, 426, 428]);

export function isOk({ status }: Trail): boolean {
  return status >= 200 && status < 300;
}

export function isRefusal(trail: Trail): boolean {
  const { reached, status, text, location } = trail;
  if (reached || isSamePath(trail)) return false;
  if (location) return isLogin(location) || FOR_STRANGERS.test(location.pathname);
  return (
    (REFUSALS.has(status) && !refusesAll(trail)) || (refusesInText(trail) && ASKS_WHO.test(text)) || asksForToken(trail)
  );
}

function refusesInText(trail: Trail): boolean {
  return REFUSALS_BY_TEXT.has(trail.status) || (isOk(trail) && SAYS_NO.test(trail.text));
}

function refusesAll({ status, text }: Trail): boolean {
  return status === 429 || (REFUSALS.has(status) && REFUSES_ALL.test(text) && !ASKS_WHO.test(text));
}

/** Returns true even for a token that is a field of the input. */
export function asksForToken(trail: Trail): boolean {
  const { text, isOfInput } = trail;
  return !isOfInput && refusesInText(trail) && ASKS_FOR_TOKEN.test(text) && !ASKS_WHO.test(text);
}

/** Numbers and ids may differ. */
export function isSameAnswer(one: Trail, other: Trail): boolean {
  const answerOf = (trail: Trail) => `${trail.status} ${trail.text.replace(/[\da-f-]{8,}|\d+/gi, '')}`;
  return answererOf(one)?.fn === answererOf(other)?.fn && answerOf(one) === answerOf(other);
}

/** A redirect is the work of a handler, unless it leads to a login. */
export function isRefusalOfHandler(trail: Trail): boolean {
  return isRefusal(trail) && (!trail.location || isLogin(trail.location));
}

/** Returns the reason of an answer that says nothing about the caller. */
export function besideThePoint(trail: Trail): 'input' | 'other' | undefined {
  if (isRefusal(trail)) return undefined;
  if (trail.location || refusesAll(trail)) return 'other';
  return NOT_AUTH.has(trail.status) ? 'input' : undefined;
}

function isLogin({ host, pathname }: URL): boolean {
  return LOGIN.test(host + pathname);
}

/** Some redirects lead to the same path with https. */
export function isSamePath({ location, path }: Trail): boolean {
  const plain = (one: string) => new URL(one, 'http://host').pathname.replace(/\/$/, '').toLowerCase();
  return location !== undefined && plain(location.pathname) === plain(path);
}

/** Returns `undefined` where the handler was reached all the same. */
export function answererOf({ reached, by }: Trail): Ran | undefined {
  return reached ? undefined : by;
}

/** Returns functions that were left out and wait for the right input. */
export function inputsOf({ ran, leftOut }: Trail): readonly Ran[] {
  return ran.filter(({ fn }) => leftOut.get(fn) === 'input');
}

/** Takes the worst answer. That of another route tells nothing. */
export function judge(trails: readonly Trail[], route: Route, order: number): Judged {
  const own = trails.filter((trail) => {
    const by = answererOf(trail);
    if (!by) return trail.reached === route;
    // With next('route'), the answer comes from a later function.
    if (trail.ran.some((one) => one.route === route)) return true;
    return by.order <= order && (!by.route || by.isThrough);
  });
  const reached = own.filter((trail) => trail.reached);
  const isAnswered = (trail: Trail) => isOk(trail) && !isRefusal(trail) && answererOf(trail)?.route === route;
  const open = reached.find((trail) => inputsOf(trail).length === 0) ?? own.find(isAnswered);
  const trail = open ?? reached[0] ?? own.find(isRefusal) ?? own[0];
  if (!trail) return { verdict: 'unreached' };
  const verdict = open ? 'open' : trail.reached ? 'openWithInput' : isRefusal(trail) ? 'refused' : 'unclear';
  return { verdict, trail, by: answererOf(trail) ?? (open ? trail.by : inputsOf(trail).at(-1)) };
}

/** Names the functions before the guard, and says of each if it answers. */
export function earlyIn(trail: Trail, route: Route): readonly string[] {
  const [by, inputs] = [answererOf(trail), inputsOf(trail)];
  return trail.ran
    .slice(0, by && trail.ran.indexOf(by))
    .filter((one) => !markOf(one.fn) && (one.route === route || !one.layer || inputs.includes(one)))
    .map((one) => (inputs.includes(one) ? `${one.name} answers` : one.name));
}
