import { IncomingMessage } from 'node:http';

/** @throws TypeError when Express called the factory: it was mounted where its result belongs. */
export function checkCalled(factory: string, argument: unknown): void {
  if (argument instanceof IncomingMessage) {
    throw new TypeError(`${factory} was used as a middleware. Call it: app.use(${factory}(...)).`);
  }
}

/** Every option of a factory, so that the compiler notices one that was added to the type and forgotten here. */
export type OptionNames<Options> = { readonly [Name in keyof Required<Options>]: true };

/**
 * Checks the shape of a factory's options: an object that has no member we do not know.
 * @throws TypeError that names the factory, the option and the known ones.
 */
export function checkOptions<Options extends object>(
  factory: string,
  options: Options,
  names: OptionNames<Options>,
): void {
  checkCalled(factory, options);
  if (!isPlainObject(options)) throw new TypeError(`${factory}: the options must be a plain object, { name: value }.`);
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(names, name)) {
      throw new TypeError(`${factory}: unknown option "${name}". Known options: ${Object.keys(names).join(', ')}.`);
    }
  }
}

/** A store or a key given in place of the options has no members of its own, and would pass for no options at all. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Of any realm: the prototype of a plain object has none itself.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** @throws TypeError when a collaborator or callback given as an option lacks one of `methods`. */
export function checkMethods(where: string, value: unknown, methods: readonly string[], hint: string): void {
  for (const method of methods) {
    if (typeof (value as Record<string, unknown> | null | undefined)?.[method] !== 'function') {
      throw new TypeError(`${where} has no method ${method}. ${hint}`);
    }
  }
}

/** @throws TypeError when an option is given and is not a function. */
export function checkFunction(where: string, value: unknown): void {
  if (typeof value !== 'function') throw new TypeError(`${where} must be a function.`);
}

/** @throws TypeError unless `value` is a whole number of at least `least`, and of at most `most`. */
export function checkInteger(where: string, value: unknown, least: number, most: number = Number.MAX_SAFE_INTEGER) {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `from ${least} to ${most}`;
    throw new TypeError(`${where} must be a whole number ${range}.`);
  }
}
