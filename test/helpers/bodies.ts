import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { FIELD, type FormField, type Member, type Tree } from './oracle.js';

/** How a body is encoded on its way, and whether it can be decoded. */
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

/** JSON text of a tree, each key spelled as its member says. */
export function textOf(tree: Tree): string {
  if (tree.kind === 'scalar') return JSON.stringify(tree.value);
  if (tree.kind === 'array') return `[${tree.items.map(textOf).join(',')}]`;
  return `{${tree.members.map((member) => `${keyText(member)}:${textOf(member.value)}`).join(',')}}`;
}

function keyText({ key, isEscaped }: Member): string {
  if (!isEscaped) return JSON.stringify(key);
  const escapes = Array.from({ length: key.length }, (_, i) => key.charCodeAt(i).toString(16).padStart(4, '0'));
  return `"${escapes.map((hex) => `\\u${hex}`).join('')}"`;
}

/** A tree inside so many arrays and objects, `__proto__` among their members. */
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

/** The key of a field as a form spells it. */
export function keyOf({ outer, isBracketed, name, suffix }: FormField): string {
  const [first, ...rest] = outer;
  if (first === undefined) return (isBracketed ? `[${name}]` : name) + suffix;
  return first + rest.map((part) => `[${part}]`).join('') + `[${name}]${suffix}`;
}

/** A query or a form, with the first characters of the keys percent-encoded where `isEncoded`. */
export function formText(fields: readonly FormField[], isEncoded: boolean): string {
  return fields
    .map((field) => {
      const key = encodeURIComponent(keyOf(field));
      return `${isEncoded ? key.replace(FIELD, `%72efercence%5Fcl`) : key}=${encodeURIComponent(field.value)}`;
    })
    .join('&');
}
