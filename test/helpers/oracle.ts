import { AWA, FERMEE, KOFI, PASSWORD } from './accounts.js';

// Predicts the answers that docs/interface.md and README.md allow for a generated request. It uses no code of src. If the
// pages allow two refusals, both are allowed here.

/** The status of an answer, and the `error` of a refusal. */
export type Outcome = '200' | `${number} ${string}`;

export const OWN = AWA.marchand.referencl;
export const FIELD = 'refercence_cl';

/** The store fails for this email and for this id. */
export const DOWN_EMAIL = 'down@store.example';
export const DOWN_ID = 'down';
/** An account whose tokens were revoked 100 s ago. */
export const RECALLED = { ...AWA, id: '4', email: 'recalled@example.com', revokedSeconds: 100 };

// ---- login ----------------------------------------------------------------------------------------------------------

export interface LoginCase {
  readonly isJson: boolean;
  /** True if charset and encoding are known and the bytes are undamaged. */
  readonly isReadable: boolean;
  /** The length after decoding. */
  readonly bytes: number;
  /** The members of the JSON object; `undefined` for anything else. */
  readonly members: ReadonlyMap<string, unknown> | undefined;
  readonly isThrottled: boolean;
  readonly isBusy: boolean;
}

export function loginOutcome(login: LoginCase): Outcome {
  const email = login.members?.get('email');
  const password = login.members?.get('password');
  if (!login.isJson || !login.isReadable || login.bytes > 16_384) return '400 invalid_body';
  if (!isText(email, 5, 255) || !email.includes('@') || email.includes('\0')) return '400 invalid_body';
  if (!isText(password, 6, 255)) return '400 invalid_body';
  if (login.isThrottled) return '429 too_many_attempts';
  if (login.isBusy) return '503 too_busy';
  if (email === DOWN_EMAIL) return '503 store_unavailable';
  const account = [AWA, KOFI, FERMEE].find((known) => known.email === email);
  if (account === undefined || password !== PASSWORD) return '401 wrong_credentials';
  return account.disabled ? '401 account_disabled' : '200';
}

/** Returns true for a string of `min` to `max` code points, without a lone surrogate. */
function isText(value: unknown, min: number, max: number): value is string {
  if (typeof value !== 'string') return false;
  const points = Array.from(value);
  return points.length >= min && points.length <= max && !points.some((point) => /^[\ud800-\udfff]$/.test(point));
}

// ---- tokens ---------------------------------------------------------------------------------------------------------

export interface AuthorizationCase {
  /** `undefined` for a request without the header. */
  readonly scheme: string | undefined;
  readonly separator: string;
  /** The text after the token. */
  readonly trailer: string;
  /** True if the header was sent twice. */
  readonly isRepeated: boolean;
}

export interface TokenCase {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: unknown;
  readonly isSignedByOwnKey: boolean;
  /** True if the token was changed after it was signed. */
  readonly isDamaged: boolean;
}

/** The facts that decide about a token. */
export interface TokenFacts {
  readonly kid: string;
  readonly now: number;
}

export function bearerOutcomes(authorization: AuthorizationCase, token: TokenCase, facts: TokenFacts): Outcome[] {
  const { scheme, separator, trailer, isRepeated } = authorization;
  if (scheme?.toLowerCase() !== 'bearer' || separator === '') return ['401 missing_token'];
  if (isRepeated || separator !== ' ' || trailer !== '') return ['401 invalid_token'];
  return tokenOutcomes(token, facts);
}

function tokenOutcomes({ header, payload, isSignedByOwnKey, isDamaged }: TokenCase, facts: TokenFacts): Outcome[] {
  const { alg, kid, typ } = header;
  const isTyped = typeof typ === 'string' && ['at+jwt', 'application/at+jwt'].includes(typ.toLowerCase());
  if (isDamaged || !isSignedByOwnKey || alg !== 'HS256' || kid !== facts.kid || !isTyped || 'crit' in header) {
    return ['401 invalid_token'];
  }
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return ['401 invalid_token'];
  const { iss, aud, sub, referencl, iat, exp, nbf, valid_after: readAtLogin } = payload as Record<string, unknown>;
  if (iss !== 'express-merchant-auth/merchant' || aud !== undefined) return ['401 invalid_token'];
  if (typeof sub !== 'string' || sub === '' || typeof referencl !== 'string' || referencl === '') {
    return ['401 invalid_token'];
  }
  if (typeof iat !== 'number' || typeof exp !== 'number' || exp - iat > 18_000) return ['401 invalid_token'];
  if (readAtLogin !== undefined && !Number.isInteger(readAtLogin)) return ['401 invalid_token'];
  const isAhead = iat > facts.now + 60 || (typeof nbf === 'number' && nbf > facts.now + 60);
  const isExpired = exp <= facts.now;
  if (isAhead && isExpired) return ['401 invalid_token', '401 expired_token'];
  if (isAhead) return ['401 invalid_token'];
  if (isExpired) return ['401 expired_token'];
  return [accountOutcome(sub, iat, readAtLogin, facts.now)];
}

function accountOutcome(sub: string, iat: number, readAtLogin: unknown, now: number): Outcome {
  if (sub === DOWN_ID) return '503 store_unavailable';
  if (sub === RECALLED.id) {
    const revokedAt = now - RECALLED.revokedSeconds;
    return readAtLogin === revokedAt * 1000 || iat > revokedAt + 60 ? '200' : '401 revoked_token';
  }
  return [AWA.id, KOFI.id].includes(sub) ? '200' : '401 revoked_token';
}

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

const INVALID: Outcome = '400 invalid_reference';
const FOREIGN: Outcome = '403 foreign_reference';

function valueFaults(value: string): Outcome[] {
  return value === OWN ? [] : [FOREIGN];
}

function treeFaults(tree: Tree): Outcome[] {
  if (tree.kind === 'scalar') return [];
  if (tree.kind === 'array') return tree.items.flatMap(treeFaults);
  return tree.members.flatMap(({ key, value }) => {
    if (key.startsWith(`${FIELD}[`)) return [INVALID, ...treeFaults(value)];
    if (key !== FIELD) return treeFaults(value);
    if (value.kind === 'scalar' && typeof value.value === 'string') return valueFaults(value.value);
    return [INVALID, ...treeFaults(value)];
  });
}

function treeFindings(tree: Tree): Findings {
  const elements = tree.kind === 'array' ? tree.items : [tree];
  const has = (element: Tree) => element.kind === 'object' && element.members.some(({ key }) => key === FIELD);
  return { faults: treeFaults(tree), doubts: [], isThere: elements.length > 0 && elements.every(has) };
}

function formFindings(fields: readonly FormField[]): Findings {
  const named = fields.filter(({ name }) => name === FIELD);
  const plain = named.filter(({ outer, isBracketed, suffix }) => outer.length === 0 && !isBracketed && suffix === '');
  const listed = named.filter(({ outer, isBracketed, suffix }) => outer.length === 0 && !isBracketed && suffix !== '');
  const unclear = named.filter(({ outer, isBracketed }) => outer.length > 0 || isBracketed);
  const isRepeated = plain.length > 1 || listed.length > 0;
  return {
    faults: [...(isRepeated ? [INVALID] : []), ...named.flatMap(({ value }) => valueFaults(value))],
    doubts: unclear.length > 0 ? [INVALID] : [],
    isThere: plain.length > 0 || (unclear.length > 0 ? undefined : false),
  };
}

export interface ReferenceCase {
  /** The path parameter of the route, when it declares one. */
  readonly param: string | undefined;
  readonly query: readonly FormField[];
  readonly body: BodyCase;
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

export function referenceOutcomes({ param, query, body, isDemanded }: ReferenceCase): Outcome[] {
  if (body.kind === 'refused' && body.isEarly) return [...body.outcomes];
  const inParam: Findings = param === undefined ? NOTHING : { faults: valueFaults(param), doubts: [], isThere: true };
  const inQuery = formFindings(query);
  const inBody = bodyFindings(body);
  const parts = [inParam, inQuery, inBody];
  const faults = parts.flatMap((part) => part.faults);
  const doubts = parts.flatMap((part) => part.doubts);
  if (faults.length > 0) return [...faults, ...doubts];

  const { isThere } = inParam.isThere === true ? inParam : body.kind === 'none' ? inQuery : inBody;
  if (!isDemanded || isThere === true) return ['200', ...doubts];
  return isThere === false ? ['400 missing_reference', ...doubts] : ['200', '400 missing_reference', ...doubts];
}

function bodyFindings(body: BodyCase): Findings {
  switch (body.kind) {
    case 'tree':
      return treeFindings(body.tree);
    case 'form':
      return formFindings(body.fields);
    case 'refused':
      return { ...NOTHING, faults: body.outcomes };
    case 'none':
      return NOTHING;
  }
}

// ---- the layout -----------------------------------------------------------------------------------------------------

/** The `message` of each error, and the header that comes with it (docs/for-merchants.md). */
export const LAYOUT: Readonly<Record<string, readonly [message: string, header?: string]>> = {
  '400 invalid_body': ['Body not valid'],
  '413 invalid_body': ['Body not valid'],
  '401 wrong_credentials': ['Wrong email or password', 'www-authenticate'],
  '401 account_disabled': ['Account disabled', 'www-authenticate'],
  '429 too_many_attempts': ['Too many failed logins', 'retry-after'],
  '503 too_busy': ['Too many logins at once', 'retry-after'],
  '401 missing_token': ['Token missing', 'www-authenticate'],
  '401 invalid_token': ['Token not valid', 'www-authenticate'],
  '401 expired_token': ['Token expired', 'www-authenticate'],
  '401 revoked_token': ['Token revoked', 'www-authenticate'],
  '400 missing_reference': ['refercence_cl missing'],
  '400 invalid_reference': ['refercence_cl not valid'],
  '403 foreign_reference': ['Not your refercence_cl'],
  '415 unreadable_body': ['Body cannot be read'],
  '503 store_unavailable': ['Accounts cannot be checked', 'retry-after'],
};
