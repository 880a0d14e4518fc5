import { parseBody, textOf } from './merchant-api-error.js';

const SHOWN = ['error', 'code', 'message', 'description', 'detail', 'title'];
const SHOWN_OF_ERRORS = ['field', 'rule', 'message'];

/**
 * Returns JSON of the texts of a refused login that people read, with stars for the password: errors are logged. Leaves
 * out long texts, and those with the password in escapes or base64.
 */
export function shownRefusal(text: string, password: string): string {
  const shown = (value = ''): readonly string[] => {
    const stars = value.replaceAll(password, '***');
    return stars === '' || stars.length > 500 || isHiddenIn(stars, password) ? [] : [stars];
  };
  const pick = (from: unknown, names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => shown(textOf(from, name)).map((value) => [name, value])));
  const shownItem = (item: unknown): unknown => (typeof item === 'string' ? shown(item) : pick(item, SHOWN_OF_ERRORS));
  const body = parseBody(text);
  const { errors } = Object(body) as { readonly errors?: unknown };
  const items = Array.isArray(errors) ? errors.slice(0, 20).flatMap<unknown>(shownItem) : undefined;
  return JSON.stringify({ ...pick(body, SHOWN), errors: items });
}

/** Looks for the password in escapes of an address or JSON, and in base64. */
function isHiddenIn(text: string, password: string): boolean {
  const bytes = String.fromCharCode(...new TextEncoder().encode(password));
  // After zero, one and two other bytes. Cuts off characters that depend on the bytes around the password.
  const ends = (before: number) => [Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3)];
  const inBase64 = [0, 1, 2].map((before) => btoa('-'.repeat(before) + bytes).slice(...ends(before)));
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/').replaceAll(/\s/g, '');
  const decoded = [text, text.replaceAll('+', ' ')].map(unescaped);
  return decoded.some((form) => form.includes(password)) || inBase64.some((form) => base64.includes(form));
}

function unescaped(text: string): string {
  const bytesOf = (run: string) => Uint8Array.from(run.slice(1).split('%'), (byte) => parseInt(byte, 16));
  return text
    .replaceAll(/(?:%[\da-f]{2})+/gi, (run) => new TextDecoder().decode(bytesOf(run)))
    .replaceAll(/\\(?:u[\da-fA-F]{4}|["\\/bfnrt])/g, (escape) => JSON.parse(`"${escape}"`) as string);
}
