import type { Handle, Layer, Route } from './express-types.js';
import type { Trail } from './listen-in.js';
import type { Loopback } from './loopback.js';
import type { Found } from './routes.js';
import { answererOf, asksForToken, besideThePoint, isRefusal, isSameAnswer, isSamePath } from './verdict.js';

export interface Target extends Pick<Found, 'template'> {
  /** A function at a path, in place of a route. */
  readonly layer?: Layer;
  readonly route: Route | undefined;
  readonly order: number;
}

export type Ask = (method: string, path: string, target: Target, runsHandler?: boolean) => Promise<Trail>;

const WRONG_CREDENTIALS = {
  authorization: 'Bearer x',
  'x-access-token': 'x',
  'x-api-key': 'x',
  cookie: 'token=x; session=x',
};
const MOST_LEFT_OUT = 5;

/**
 * Asks until a refusal or the handler. Leaves out functions that answer for another reason. Behind a redirect to
 * another path, only a refusal counts.
 */
export function createAsk(askOnce: Loopback['ask']): Ask {
  return async function ask(method, path, { route, order, layer }, runsHandler = false) {
    const leftOut = new Map<Handle, 'input' | 'other'>();
    let elsewhere: Trail | undefined;
    for (let left = MOST_LEFT_OUT; ; left -= 1) {
      const about = { method, path, aim: route, order, leftOut: new Map(leftOut), runsHandler };
      const trail = await askOnce(about);
      if (asksForToken(trail)) trail.isOfInput = isSameAnswer(trail, await askOnce(about, WRONG_CREDENTIALS));
      const by = answererOf(trail);
      const isOwn = by && by.order <= order && !by.isThrough && (!by.route || by.route === route);
      if (isOwn && isRefusal(trail)) return trail;
      const reason = besideThePoint(trail);
      const isEnd = by?.isLast === true || (layer && by?.layer === layer && reason === 'input');
      if (left === 0 || !isOwn || isEnd || !reason) return elsewhere ?? trail;
      if (trail.location && !isSamePath(trail)) elsewhere ??= trail;
      leftOut.set(by.fn, reason);
    }
  };
}
