import { checkFunction, checkInteger, checkOptions } from './check-options.js';

/**
 * Parses one option. `value` is `undefined` when the option was omitted.
 * @throws TypeError that begins with `where`, and says what the option must be
 */
export type OptionParser<Value> = (where: string, value: unknown) => Value;

/** One parser for each option of a factory. The compiler rejects a table that lacks one. */
export type OptionParsers<Options> = { readonly [Name in keyof Required<Options>]: OptionParser<unknown> };

/**
 * Parses the options of a factory into a configuration without optional members.
 * @throws TypeError for an unknown option, and for each value that its parser rejects
 */
export function parseOptions<Parsers extends Record<string, OptionParser<unknown>>>(
  factory: string,
  options: object,
  parsers: Parsers,
): { readonly [Name in keyof Parsers]: ReturnType<Parsers[Name]> } {
  checkOptions(factory, options, parsers);
  const given = options as Readonly<Record<string, unknown>>;
  const parsed = Object.entries(parsers).map(([name, parse]) => [name, parse(`${factory}: ${name}`, given[name])]);
  return Object.fromEntries(parsed) as { [Name in keyof Parsers]: ReturnType<Parsers[Name]> };
}

/** A whole number from `least` to `most`. Without `otherwise` it is required. */
export function wholeNumber(range: { least: number; most?: number; otherwise?: number }): OptionParser<number> {
  return (where, value = range.otherwise) => {
    checkInteger(where, value, range.least, range.most);
    return value as number;
  };
}

/** A function. With `undefined` as `otherwise` it can be omitted. */
export function callback<Callback>(otherwise: Callback): OptionParser<Callback> {
  return (where, value = otherwise) => {
    if (value !== undefined) checkFunction(where, value);
    return value as Callback;
  };
}

/** A collaborator that a factory of this package made. */
export function madeBy<Value>(
  factory: () => Value,
  type: new (...args: never[]) => Value,
  hint = '',
): OptionParser<Value> {
  return (where, value = factory()) => {
    if (value instanceof type) return value;
    throw new TypeError(`${where} must be what ${factory.name}(...) returned${hint}.`);
  };
}

/** A value that the factory checks itself. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- names the type in a table of parsers
export function asGiven<Value>(_where: string, value: unknown): Value {
  return value as Value;
}
