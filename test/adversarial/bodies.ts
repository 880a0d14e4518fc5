import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { FIELD, type FormField, type Member, type Tree } from '../helpers/oracle.js';
import { renamed } from '../helpers/renamed.js';

/** A Content-Encoding. `isReadable` is false if the service cannot decode it. */
export interface Coding {
  readonly name: string | undefined;
  readonly isReadable: boolean;
  encode(bytes: Buffer): Buffer;
}

const same = (bytes: Buffer) => bytes;
const CODINGS: readonly Coding[] = [
  { name: 'gzip', isReadable: true, encode: gzipSync },
  { name: 'deflate', isReadable: true, encode: deflateSync },
  { name: 'identity', isReadable: true, encode: same },
  { name: 'gzip', isReadable: false, encode: (bytes) => Buffer.concat([Buffer.from('no gzip: '), bytes]) },
  { name: 'gzip', isReadable: false, encode: (bytes) => gzipSync(bytes).subarray(0, -9) },
  { name: 'zz', isReadable: false, encode: same },
];
const NONE: Coding = { name: undefined, isReadable: true, encode: same };

export const codings: fc.Arbitrary<Coding> = fc.oneof(
  { arbitrary: fc.constant(NONE), weight: 12 },
  { arbitrary: fc.constantFrom(...CODINGS), weight: 2 },
);

export function encodingHeader({ name }: Coding): [string, string][] {
  return name === undefined ? [] : [['Content-Encoding', name]];
}

/** Returns the JSON text of a tree, with a name in the place of `refercence_cl`. A key is escaped if its member says so. */
export function textOf(tree: Tree, name: string): string {
  const write = (part: Tree) => textOf(part, name);
  if (tree.kind === 'scalar') return JSON.stringify(tree.value);
  if (tree.kind === 'array') return `[${tree.items.map(write).join(',')}]`;
  return `{${tree.members.map((member) => `${keyText(member, name)}:${write(member.value)}`).join(',')}}`;
}

function keyText({ key: field, isEscaped }: Member, name: string): string {
  const key = renamed(field, name);
  if (!isEscaped) return JSON.stringify(key);
  const escapes = Array.from({ length: key.length }, (_, i) => key.charCodeAt(i).toString(16).padStart(4, '0'));
  return `"${escapes.map((hex) => `\\u${hex}`).join('')}"`;
}

/** Puts a tree into nested arrays and objects. Some of their members are named `__proto__`. */
export function nest(tree: Tree, depth: number): Tree {
  let nested = tree;
  for (let i = 0; i < depth; i += 1) {
    nested =
      i % 2 === 0
        ? { kind: 'array', items: [nested] }
        : { kind: 'object', members: [{ key: i % 4 === 1 ? '__proto__' : 'a', value: nested, isEscaped: false }] };
  }
  return nested;
}

/** Returns the key of a field in the syntax of forms. */
function keyOf({ outer, isBracketed, name, suffix }: FormField): string {
  const [first, ...rest] = outer;
  if (first === undefined) return (isBracketed ? `[${name}]` : name) + suffix;
  return first + rest.map((part) => `[${part}]`).join('') + `[${name}]${suffix}`;
}

/**
 * Returns the text of a query or a form, with a name in the place of `refercence_cl`. With `isEncoded`, the first character
 * of each name is percent-encoded.
 */
export function formText(fields: readonly FormField[], isEncoded: boolean, name: string): string {
  return fields
    .map((field) => {
      const key = encodeURIComponent(keyOf(field));
      const encoded = isEncoded ? key.replace(FIELD, '%72efercence_cl') : key;
      return `${renamed(encoded, name)}=${encodeURIComponent(field.value)}`;
    })
    .join('&');
}
