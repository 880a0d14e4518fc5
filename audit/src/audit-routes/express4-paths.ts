import type { Layer } from './express-types.js';

/** Matches a parameter, a wildcard or a text in a regular expression of path-to-regexp 0.1. */
const PART =
  /\(\?:(?<slash>\\\/)?\(\[\^\\?\/\]\+\?\)\)(?<optional>\?)?|(?<wildcard>\(\.\*\))|(?<text>[\w~,;=@%&'-]|\\[./])/y;
const END = '\\/?(?=\\/|$)';

/**
 * Returns the paths where a layer of `use` was mounted, as read from a regular expression, because Express 4 keeps
 * nothing else. An expression of another form is shown with the names of its parameters. This file can go with Express
 * 4.
 */
export function mountPathsOf(regexp: RegExp, { keys = [] }: Layer): readonly unknown[] {
  const source = /^\(\?:(?<alternatives>\^.*)\)$/.exec(regexp.source)?.groups?.['alternatives'] ?? regexp.source;
  const names = keys.map(({ name }) => String(name));
  const paths = source.split(/\|(?=\^)/).map((alternative) => pathOf(alternative, names));
  if (paths.every((path) => path !== undefined)) return paths;
  return [{ toString: () => [regexp, ...keys.map(({ name }) => `:${name}`)].join(' ') }];
}

/** Returns the path of one expression, and removes the names of its parameters from `names`. */
function pathOf(source: string, names: string[]): string | undefined {
  if (!source.startsWith('^') || !source.endsWith(END)) return undefined;
  const text = source.slice(1, -END.length);
  let path = '';
  for (PART.lastIndex = 0; PART.lastIndex < text.length;) {
    const part = PART.exec(text)?.groups;
    if (!part) return undefined;
    if (part['text'] !== undefined) path += part['text'].slice(-1);
    else {
      const name = names.shift();
      path += part['wildcard'] === undefined ? `${part['slash'] ? '/' : ''}:${name}${part['optional'] ?? ''}` : '*';
    }
  }
  return path === '' ? '/' : path;
}
