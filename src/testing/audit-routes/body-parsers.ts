import type { HandlerMark } from '../../http/middleware.js';

/** A body parser that is mounted in the app, and the words that name it in a finding. */
export interface BodyParser {
  readonly kind: 'parser';
  readonly name: string;
  readonly where: string;
}

/** The names of the functions that body-parser 1 and 2 return. Nothing else of a parser can be seen from outside. */
const NAMES = new Set(['jsonParser', 'rawParser', 'textParser', 'urlencodedParser']);

export function bodyParserAt(where: string, name: string): BodyParser | undefined {
  return NAMES.has(name) ? { kind: 'parser', name, where } : undefined;
}

/**
 * Returns the parsers that get no body because a check of this package comes before them. Such a check reads JSON and
 * refuses every other body. With `reference: 'reported'` it leaves other bodies unread. A parser that finds none
 * without the check either, because one of the same kind comes first, is not returned.
 * @param passed the marks and parsers that every request to a place passes, in their order
 */
export function idleParsersIn(passed: readonly (HandlerMark | BodyParser)[]): readonly BodyParser[] {
  const idle: BodyParser[] = [];
  const parsed = new Set<string>();
  let isReporting = false;
  let taken: 'no body' | 'JSON' | 'each body' = 'no body';
  for (const mark of passed) {
    if (mark.kind === 'parser') {
      const isIdle = taken === 'each body' || (taken === 'JSON' && mark.name === 'jsonParser');
      if (!isIdle) parsed.add(mark.name);
      else if (!parsed.has(mark.name)) idle.push(mark);
      continue;
    }
    if (mark.kind === 'bearer') isReporting = mark.reference === 'reported';
    if (mark.kind === 'login' || (mark.kind === 'bearer' && mark.reference === 'unchecked')) continue;
    taken = isReporting ? 'JSON' : 'each body';
  }
  return idle;
}
