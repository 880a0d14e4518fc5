/** Matches a stack frame with a line and a column. */
const FRAME = /^ +at .+:\d+:\d+\)?$/;

/**
 * Describes an error of the host by its name, its codes and one stack frame. Leaves out the message and the other members,
 * because drivers put values of accounts there.
 */
export function describeError(error: Error): string {
  try {
    const { name, message, stack } = error;
    // The stack begins with the message, which can have lines that look like frames.
    const isFrame = (line: string) => FRAME.test(line) && !message.includes(line.trim());
    const frame = stack?.split('\n').find(isFrame);
    return [name, ...codesOf(error), ...(frame === undefined ? [] : [frame.trim()])].join(' ');
  } catch {
    // For example a stack that is not a string, where a library prepares stack traces differently.
    return 'an error';
  }
}

/** Returns the codes of an error, and of the driver's error that Sequelize and others wrap. */
export function codesOf(error: Error & { readonly parent?: unknown; readonly original?: unknown }): Set<unknown> {
  const codes = [error, error.cause, error.parent, error.original].flatMap((holder) => {
    const { code, errno } = (holder ?? {}) as { readonly code?: unknown; readonly errno?: unknown };
    return [code, errno];
  });
  return new Set(codes.filter((code) => typeof code === 'string' || typeof code === 'number'));
}
