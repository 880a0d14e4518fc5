/** A name or a code. A message can have secrets and line ends. */
const WORD = /^[\w.:-]{1,64}$/;
/** Without control characters and other invisible ones. */
const FRAME = /^ +at [^\p{C}\p{Zl}\p{Zp}]+:\d+:\d+\)?$/u;
const MAX_FRAME_LENGTH = 300;

/** Names only the name, the codes and one stack frame: drivers put values of accounts into other members. */
export function describeError(error: Error): string {
  try {
    const { name } = error;
    return [WORD.test(name) ? name : 'Error', ...codesOf(error), frameOf(error) ?? []].flat().join(' ');
  } catch {
    // A library that prepares stack traces can leave one that is not a string.
    return 'an error';
  }
}

/**
 * If the message was replaced later, its old lines can look like frames: a frame is returned only after the message, or
 * when the stack began without one.
 */
function frameOf({ message, stack = '' }: Error): string | undefined {
  const [first = ''] = stack.split('\n', 1);
  const header = WORD.test(first) ? first : first.slice(0, first.indexOf(': ') + 2) + message;
  if (!stack.startsWith(`${header}\n`)) return undefined;
  const lines = stack.slice(header.length).split('\n');
  return lines.find((line) => FRAME.test(line) && line.trim().length <= MAX_FRAME_LENGTH)?.trim();
}

/** Sequelize and others wrap the driver's error. */
export function codesOf(error: Error & { readonly parent?: unknown; readonly original?: unknown }): Set<string> {
  const codes = [error, error.cause, error.parent, error.original].flatMap((holder) => {
    const { code, errno } = (holder ?? {}) as { readonly code?: unknown; readonly errno?: unknown };
    return [code, errno];
  });
  const texts = codes.filter((code) => typeof code === 'string' || typeof code === 'number').map(String);
  return new Set(texts.filter((code) => WORD.test(code)));
}
