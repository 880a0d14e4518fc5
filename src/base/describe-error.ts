/** Matches a name or a code, and no message, which can have secrets and line ends. */
const WORD = /^[\w.:-]{1,64}$/;
/** Matches a stack frame without control characters and other invisible ones. */
const FRAME = /^ +at [^\p{C}\p{Zl}\p{Zp}]+:\d+:\d+\)?$/u;
const MAX_FRAME_LENGTH = 300;

/** Describes an error by its name, its codes and one stack frame. Drivers put values of accounts into other members. */
export function describeError(error: Error): string {
  try {
    const { name } = error;
    return [WORD.test(name) ? name : 'Error', ...codesOf(error), frameOf(error) ?? []].flat().join(' ');
  } catch {
    // For example a stack that is not a string, where a library prepares stack traces differently.
    return 'an error';
  }
}

/**
 * Returns the first frame after the message with which the stack begins. If the message was replaced later, its old lines
 * can look like frames, so there is none unless the stack began without a message.
 */
function frameOf({ message, stack = '' }: Error): string | undefined {
  const [first = ''] = stack.split('\n', 1);
  const header = WORD.test(first) ? first : first.slice(0, first.indexOf(': ') + 2) + message;
  if (!stack.startsWith(`${header}\n`)) return undefined;
  const lines = stack.slice(header.length).split('\n');
  return lines.find((line) => FRAME.test(line) && line.trim().length <= MAX_FRAME_LENGTH)?.trim();
}

/** Returns the codes of an error, and of the driver's error that Sequelize and others wrap. */
export function codesOf(error: Error & { readonly parent?: unknown; readonly original?: unknown }): Set<string> {
  const codes = [error, error.cause, error.parent, error.original].flatMap((holder) => {
    const { code, errno } = (holder ?? {}) as { readonly code?: unknown; readonly errno?: unknown };
    return [code, errno];
  });
  const texts = codes.filter((code) => typeof code === 'string' || typeof code === 'number').map(String);
  return new Set(texts.filter((code) => WORD.test(code)));
}
