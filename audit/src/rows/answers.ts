/** A value in an answer. `row` is the JSON of its object. */
export interface Member {
  readonly key: string;
  readonly value: string;
  readonly row: string;
}

export type Answer = ReturnType<typeof answerOf>;

const NAME =
  /^(?:_?id|key)$|[a-z\d](?:I[dD]|_id)$|(?:[Uu]uid|[Rr]eference|[Cc]ode|[Ss]lug|[Nn]umber|[Nn]ame|[Ff]ile|[Pp]ath|[Ee]mail|[Ll]ogin)$/;
const OWNER = /^(?:account|user|owner|merchant|customer|client|tenant|org\w*|company|author|created_?by)(?:_?id)?$/i;

export const isOwner = ({ key }: Member): boolean => OWNER.test(key);
/** Returns true for a value that names one row in all lists. 7 can be an account here, and a product there. */
export const isTelling = (value: string): boolean => value.length >= 5 && /[\d@]/.test(value);
export const tagOf = ({ key, value }: Member): string => (isTelling(value) ? value : `${key}:${value}`);

export function answerOf(status: number, text: string, isSecret: (value: string) => boolean) {
  const isOk = status >= 200 && status < 300;
  const members = isOk ? [...membersIn(jsonOf(text))] : [];
  const words = isOk ? text.split(/[^\w@.+-]+/) : [];
  const isValue = (value: string) => value !== '' && value.length < 80 && value.isWellFormed() && !isSecret(value);
  return {
    status,
    isOk,
    /** No answer, or that of a limiter. */
    isLost: status === 0 || status === 429,
    text,
    /** Can name a row or its owner. */
    names: members.filter((one) => (NAME.test(one.key) || isOwner(one)) && isValue(one.value)),
    /** Words of the text, objects and tags of the JSON. Empty for a refusal. */
    contents: new Set([...words, ...members.flatMap((one) => [one.row, tagOf(one)])]),
  };
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function* membersIn(value: unknown): Generator<Member> {
  if (typeof value !== 'object' || value === null) return;
  const row = Array.isArray(value) ? '' : JSON.stringify(value);
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === 'object') yield* membersIn(member);
    else if (row !== '' && /string|number/.test(typeof member)) yield { key, value: String(member), row };
  }
}
