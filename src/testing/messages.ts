import { AssertionError } from 'node:assert';
import { asError } from '../errors/as-error.js';

/** A broken promise of the store's, in words that tell what to change. */
export function violation(message: string, cause?: unknown): AssertionError {
  return Object.assign(new AssertionError({ message }), cause !== undefined && { cause });
}

/** @throws AssertionError with `message` unless `holds`. */
export function demand(holds: boolean, message: string): asserts holds {
  if (!holds) throw violation(message);
}

/** What was thrown, without the full stop that the sentence around it brings. */
export function reasonOf(thrown: unknown): string {
  return asError(thrown).message.replace(/\.$/, '');
}

/** A value in a message. Text is quoted, escaped beyond ASCII, since spellings look alike, and cut. */
export function show(value: unknown): string {
  if (typeof value !== 'string') return `${String(value)} (${typeof value})`;
  const start = Array.from(value).slice(0, 48).join('');
  const escaped = JSON.stringify(start).replace(/[^\x20-\x7e]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return start === value ? escaped : `${escaped}...`;
}
