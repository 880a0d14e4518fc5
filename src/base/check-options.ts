import { IncomingMessage } from 'node:http';

/** @throws TypeError for a request, which a factory gets that was mounted without the call */
export function checkCalled(factoryName: string, argument: unknown): void {
  if (argument instanceof IncomingMessage) {
    throw new TypeError(`${factoryName} was used as a middleware. Call it: app.use(${factoryName}(...)).`);
  }
}

const FROM_A_CYCLE = 'which can be due to an import cycle.';

/** Refuses an explicit `undefined` where the factory checks less without options. */
export function givenOptions<Options extends object>(factoryName: string, args: readonly [options?: Options]) {
  if (args.length > 0 && args[0] === undefined) {
    throw new TypeError(`${factoryName} got undefined in place of its options, ${FROM_A_CYCLE}`);
  }
  const [options = {} as Options] = args;
  return options;
}

/** Refuses an `undefined` that is not left out, where the factory checks less without the option. */
export function checkDefined(factoryName: string, options: object, name: string): void {
  if (name in options && (options as Record<string, unknown>)[name] === undefined) {
    throw new TypeError(`${factoryName}: ${name} is undefined, ${FROM_A_CYCLE} Leave it out for the default.`);
  }
}

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

/** A store or a key would otherwise count as empty options. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Even in another context of `node:vm`.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export function checkMethods(where: string, value: unknown, methods: readonly string[], hint: string): void {
  for (const method of methods) {
    if (typeof (value as Record<string, unknown> | null | undefined)?.[method] !== 'function') {
      throw new TypeError(`${where} has no method ${method}. ${hint}`);
    }
  }
}

export function checkFunction(where: string, value: unknown): void {
  if (typeof value !== 'function') throw new TypeError(`${where} must be a function.`);
}

export function checkInteger(where: string, value: unknown, least: number, most: number = Number.MAX_SAFE_INTEGER) {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `from ${least} to ${most}`;
    throw new TypeError(`${where} must be a whole number ${range}.`);
  }
}

export function isFilledString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
