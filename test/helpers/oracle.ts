import type { AuthErrorCode } from '../../src/index.js';
import { AWA } from './accounts.js';
import { FOREIGN_REFERENCE, INVALID_REFERENCE, MISSING_REFERENCE } from './answers.js';

// Predicts the answers that docs/interface.md and README.md allow for a generated request. It uses only a type of src. If the
// pages allow two refusals, both are allowed here.

/** The status of an answer, and the `error` of a refusal. */
export type Outcome = '200' | `${number} ${AuthErrorCode}`;

export const OWN = AWA.marchand.referencl;
export const FIELD = 'refercence_cl';

/** Returns true for the name in another letter case, or with white space at its end. */
const isMisspelled = (name: string) => name !== FIELD && name.trimEnd().toLowerCase() === FIELD;

// ---- references -----------------------------------------------------------------------------------------------------

/** A JSON value before it was written as text, so that no parser has changed it. */
export type Tree =
  | { readonly kind: 'scalar'; readonly value: string | number | boolean | null }
  | { readonly kind: 'array'; readonly items: readonly Tree[] }
  | { readonly kind: 'object'; readonly members: readonly Member[] };

export interface Member {
  readonly key: string;
  readonly value: Tree;
  /** True if the key is written with `\u` escapes. */
  readonly isEscaped: boolean;
}

/** A field of a query or a form: `name`, `[name]` or `outer[outer][name]`, and a suffix of brackets. */
export interface FormField {
  readonly outer: readonly string[];
  readonly isBracketed: boolean;
  readonly name: string;
  readonly suffix: string;
  readonly value: string;
}

/** The results of the check of one part of a request. */
interface Findings {
  /** If there are any, one of these refusals must be the answer. */
  readonly faults: readonly Outcome[];
  /** Refusals that the pages allow and do not demand. */
  readonly doubts: readonly Outcome[];
  /** True if the field is where handlers look. `undefined` if parsers disagree. */
  readonly isThere: boolean | undefined;
}

const INVALID: Outcome = `400 ${INVALID_REFERENCE}`;
const FOREIGN: Outcome = `403 ${FOREIGN_REFERENCE}`;

function valueFaults(value: string): Outcome[] {
  return value === OWN ? [] : [FOREIGN];
}

function treeFaults(tree: Tree, takesNumbers: boolean): Outcome[] {
  const faultsIn = (part: Tree) => treeFaults(part, takesNumbers);
  if (tree.kind === 'scalar') return [];
  if (tree.kind === 'array') return tree.items.flatMap(faultsIn);
  return tree.members.flatMap(({ key, value }) => {
    if (isMisspelled(key) || key.toLowerCase().startsWith(`${FIELD}[`)) return [INVALID, ...faultsIn(value)];
    if (key !== FIELD) return faultsIn(value);
    const isText = value.kind === 'scalar' && typeof value.value === 'string';
    const isNumber = takesNumbers && value.kind === 'scalar' && Number.isSafeInteger(value.value);
    if (isText || isNumber) return valueFaults(String(value.value));
    return [INVALID, ...faultsIn(value)];
  });
}

function treeFindings(tree: Tree, takesNumbers: boolean): Findings {
  const elements = tree.kind === 'array' ? tree.items : [tree];
  const has = (element: Tree) => element.kind === 'object' && element.members.some(({ key }) => key === FIELD);
  return { faults: treeFaults(tree, takesNumbers), doubts: [], isThere: elements.length > 0 && elements.every(has) };
}

function formFindings(fields: readonly FormField[]): Findings {
  const named = fields.filter(({ name }) => name === FIELD);
  const plain = named.filter(({ outer, isBracketed, suffix }) => outer.length === 0 && !isBracketed && suffix === '');
  const listed = named.filter(({ outer, isBracketed, suffix }) => outer.length === 0 && !isBracketed && suffix !== '');
  const unclear = named.filter(({ outer, isBracketed }) => outer.length > 0 || isBracketed);
  const isRepeated = plain.length > 1 || listed.length > 0;
  return {
    faults: [
      ...(isRepeated || fields.some(({ name }) => isMisspelled(name)) ? [INVALID] : []),
      ...named.flatMap(({ value }) => valueFaults(value)),
    ],
    doubts: unclear.length > 0 ? [INVALID] : [],
    isThere: plain.length > 0 || (unclear.length > 0 ? undefined : false),
  };
}

export interface ReferenceCase {
  readonly method: string;
  /** The path parameter of the route, when it declares one. */
  readonly param: string | undefined;
  readonly query: readonly FormField[];
  readonly body: BodyCase;
  /** True if an integer counts as its decimal text, as behind a guard with `referenceNames`. */
  readonly takesNumbers: boolean;
  /** True if the route has `requireOwnReference()`. */
  readonly isDemanded: boolean;
}

/** The result of reading the body: no body, a visible body, or a refusal before the check of references. */
export type BodyCase =
  | { readonly kind: 'none' }
  | { readonly kind: 'tree'; readonly tree: Tree }
  | { readonly kind: 'form'; readonly fields: readonly FormField[] }
  /** `isEarly` when a parser in front of the guard refuses it, so that nothing else is looked at. */
  | { readonly kind: 'refused'; readonly outcomes: readonly Outcome[]; readonly isEarly: boolean };

const NOTHING: Findings = { faults: [], doubts: [], isThere: false };

export function referenceOutcomes({ method, param, query, body, takesNumbers, isDemanded }: ReferenceCase): Outcome[] {
  if (body.kind === 'refused' && body.isEarly) return [...body.outcomes];
  const inParam: Findings = param === undefined ? NOTHING : { faults: valueFaults(param), doubts: [], isThere: true };
  const inQuery = formFindings(query);
  const inBody = bodyFindings(body, takesNumbers);
  const parts = [inParam, inQuery, inBody];
  const faults = parts.flatMap((part) => part.faults);
  const doubts = parts.flatMap((part) => part.doubts);
  if (faults.length > 0) return [...faults, ...doubts];

  const { isThere } = inParam.isThere === true ? inParam : /^(?:GET|DELETE)$/.test(method) ? inQuery : inBody;
  if (!isDemanded || isThere === true) return ['200', ...doubts];
  return isThere === false ? [`400 ${MISSING_REFERENCE}`, ...doubts] : ['200', `400 ${MISSING_REFERENCE}`, ...doubts];
}

function bodyFindings(body: BodyCase, takesNumbers: boolean): Findings {
  if (body.kind === 'tree') return treeFindings(body.tree, takesNumbers);
  if (body.kind === 'form') return formFindings(body.fields);
  return body.kind === 'refused' ? { ...NOTHING, faults: body.outcomes } : NOTHING;
}
