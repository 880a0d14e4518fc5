import { BRAND, type BrandedClass, checkCopy } from './another-copy.js';
import { checkFunction, checkInteger, checkOptions } from './check-options.js';

/**
 * `value` is `undefined` when the option was omitted.
 * @throws TypeError that begins with `where`, and says what the option must be
 */
export type OptionParser<Value> = (where: string, value: unknown) => Value;

/** The compiler rejects a table that lacks an option. */
export type OptionParsers<Options> = { readonly [Name in keyof Required<Options>]: OptionParser<unknown> };

export type Parsed<Parsers extends Record<string, OptionParser<unknown>>> = {
  readonly [Name in keyof Parsers]: ReturnType<Parsers[Name]>;
};

/** @throws TypeError for an unknown option, or a value that its parser rejects */
export function parseOptions<Parsers extends Record<string, OptionParser<unknown>>>(
  factoryName: string,
  options: object,
  parsers: Parsers,
): Parsed<Parsers> {
  checkOptions(factoryName, options, parsers);
  const given = options as Readonly<Record<string, unknown>>;
  const parsed = Object.entries(parsers).map(([name, parse]) => [name, parse(`${factoryName}: ${name}`, given[name])]);
  return Object.fromEntries(parsed) as Parsed<Parsers>;
}

/** Without `fallback` the option is required. */
export function wholeNumber(range: { least: number; most?: number; fallback?: number }): OptionParser<number> {
  return (where, value = range.fallback) => {
    checkInteger(where, value, range.least, range.most);
    return value as number;
  };
}

/** The first text is the default. */
export function oneOf<Text extends string>(texts: readonly [Text, ...Text[]]): OptionParser<Text> {
  return (where, value = texts[0]) => {
    const known = texts.find((text) => text === value);
    if (known !== undefined) return known;
    throw new TypeError(`${where} must be one of '${texts.join("', '")}'.`);
  };
}

export function callback<Callback>(fallback: Callback): OptionParser<Callback> {
  return (where, value = fallback) => {
    if (value !== undefined) checkFunction(where, value);
    return value as Callback;
  };
}

/** The name of a factory is `create` and the brand: minifiers change the names of functions. */
export function instanceOf<Value>(type: BrandedClass<Value>, hint = ''): OptionParser<Value> {
  return (where, value) => {
    if (value instanceof type) return value;
    checkCopy(where, value, type);
    throw new TypeError(`${where} must be what create${type[BRAND]}(...) returned${hint}.`);
  };
}

/** The default is a new object. */
export function madeBy<Value>(factory: () => Value, type: BrandedClass<Value>, hint = ''): OptionParser<Value> {
  const parse = instanceOf(type, hint);
  return (where, value = factory()) => parse(where, value);
}

/** For a value that the factory checks itself. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the type in a table of parsers
export function asGiven<Value>(_where: string, value: unknown): Value {
  return value as Value;
}
