import { asError } from '../../base/as-error.js';

/** A rule that a store or a host breaks. Its stack is only the message, which says what to change. */
export class Violation extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.stack = message;
  }
}

export function demand(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Violation(message);
}

/** For a table that breaks a rule on purpose. */
export function leaveCaseOut(name: string): string {
  return `leave this case out: userStoreContract(...).filter(({ name }) => name !== '${name}').`;
}

/** Without its full stop: the message becomes a part of a sentence. */
export function reasonOf(thrown: unknown): string {
  return asError(thrown).message.replace(/\.$/, '');
}

/** A text is escaped beyond ASCII: different characters can look alike. */
export function show(value: unknown): string {
  if (typeof value !== 'string') return `${String(value)} (${typeof value})`;
  const start = Array.from(value).slice(0, 48).join('');
  const escaped = JSON.stringify(start).replace(/[^\x20-\x7e]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return start === value ? escaped : `${escaped}...`;
}
