/** Ends a message about objects of two copies of this package, for example in a monorepo. */
export const SAME_COPY = 'from the same copy: npm ls express-merchant-auth lists them.';

/**
 * Refuses an object that another copy of this package made, because one copy cannot read the private members of another.
 * The names of the classes tell it, and only the error message depends on them.
 * @throws TypeError that names the command to find the copies
 */
export function checkCopy(where: string, value: unknown, type: { readonly name: string }): void {
  const { constructor } = (value ?? {}) as { readonly constructor?: { readonly name?: unknown } };
  if (typeof constructor !== 'function' || constructor === type || constructor.name !== type.name) return;
  throw new TypeError(`${where} comes from another copy of express-merchant-auth. Import both ${SAME_COPY}`);
}
