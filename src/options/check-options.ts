import { IncomingMessage } from 'node:http';

/**
 * Detects a factory that Express calls, because the host mounted it without calling it.
 * @throws TypeError when `argument` is a request
 */
export function checkCalled(factoryName: string, argument: unknown): void {
  if (argument instanceof IncomingMessage) {
    throw new TypeError(`${factoryName} was used as a middleware. Call it: app.use(${factoryName}(...)).`);
  }
}

/**
 * Checks that the options of a factory are an object without unknown members.
 * @param names an object with a member for each known option
 * @throws TypeError that names the factory, the option and the known ones
 */
export function checkOptions(factoryName: string, options: object, names: object): void {
  checkCalled(factoryName, options);
  if (!isPlainObject(options)) {
    throw new TypeError(`${factoryName}: the options must be a plain object, { name: value }.`);
  }
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(names, name)) {
      throw new TypeError(`${factoryName}: unknown option "${name}". Known options: ${Object.keys(names).join(', ')}.`);
    }
  }
}

/** Returns true for a plain object. A store or a key is not one, and would otherwise count as empty options. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of a plain object has no prototype, even in another context of `node:vm`.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** @throws TypeError when a collaborator lacks one of `methods` */
export function checkMethods(where: string, value: unknown, methods: readonly string[], hint: string): void {
  for (const method of methods) {
    if (typeof (value as Record<string, unknown> | null | undefined)?.[method] !== 'function') {
      throw new TypeError(`${where} has no method ${method}. ${hint}`);
    }
  }
}

/** @throws TypeError unless `value` is a function */
export function checkFunction(where: string, value: unknown): void {
  if (typeof value !== 'function') throw new TypeError(`${where} must be a function.`);
}

/** @throws TypeError unless `value` is a whole number from `least` to `most` */
export function checkInteger(where: string, value: unknown, least: number, most: number = Number.MAX_SAFE_INTEGER) {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `from ${least} to ${most}`;
    throw new TypeError(`${where} must be a whole number ${range}.`);
  }
}

export function isFilledString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
