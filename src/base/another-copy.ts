export const SAME_COPY =
  'from the same copy: npm ls express-merchant-auth lists them. In tests, jest.resetModules makes another.';

/** Minifiers can give several classes one name. */
export const BRAND = Symbol.for('express-merchant-auth.class');

export type BrandedClass<Instance> = (new (...args: never[]) => Instance) & { readonly [BRAND]: string };

/**
 * One copy of this package cannot read the private members of another.
 * @throws TypeError that names the command to find the copies
 */
export function checkCopy(where: string, value: unknown, type: BrandedClass<unknown>): void {
  const { constructor } = (value ?? {}) as { readonly constructor?: { readonly [BRAND]?: unknown } };
  if (value instanceof type || constructor?.[BRAND] !== type[BRAND]) return;
  throw new TypeError(`${where} comes from another copy of express-merchant-auth. Import both ${SAME_COPY}`);
}
