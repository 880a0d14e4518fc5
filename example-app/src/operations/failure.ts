/** The part of an error that a log may show. The message of a driver can contain bound values. */
export interface Failure {
  readonly name: unknown;
  /** The code of the error or of its causes, as in `ECONNREFUSED`, or `timeout`. */
  readonly code: unknown;
  readonly frames: readonly string[];
}

type Thrown = Partial<Readonly<Record<'name' | 'code' | 'message' | 'stack' | 'cause', unknown>>>;

/** Describes an error and its causes without their messages. */
export function describeFailure(error: unknown): Failure {
  const chain: Thrown[] = [];
  for (let next = error; next instanceof Error && !chain.includes(next); next = next.cause) chain.push(next);
  const [{ name, message = '', stack = '' } = {}] = chain;
  const code = chain.find((cause) => cause.code !== undefined)?.code;
  // The stack begins with the message, whose lines can look like frames.
  const frames = String(stack).replace(String(message), '').split('\n').slice(1);
  return {
    name,
    code: code ?? (chain.some(isTimeout) ? 'timeout' : undefined),
    frames: frames.map((line) => line.trim()),
  };
}

/** Returns true for a timeout without a code, as node-postgres and `within` report it. */
function isTimeout({ name, message }: Thrown): boolean {
  return /timeout|no answer within/i.test(`${String(name)} ${String(message)}`);
}
