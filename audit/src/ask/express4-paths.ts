import type { Layer } from './express-types.js';

/** Matches a parameter, a wildcard or a text in a regular expression of path-to-regexp 0.1. */
const PART =
  /\(\?:(?<slash>\\\/)?\((?<own>\[\^\\?\/\]\+\?|\(\?:\(\?![^)]*\)\.\)\+\?|[^()]+)\)\)(?<optional>\?)?|(?<wildcard>\(\.\*\))|(?<text>[\w~,;=@%&'-]|\\[./])/y;
const END = '\\/?(?=\\/|$)';

/**
 * Returns the paths where a layer of `use` was mounted, as read from a regular expression, because Express 4 keeps
 * nothing else. Returns the expression if it has another form. This file can go with Express 4.
 */
export function mountPathsOf(regexp: RegExp, { keys = [] }: Layer): readonly (string | RegExp)[] {
  const source = /^\(\?:(?<alternatives>\^.*)\)$/.exec(regexp.source)?.groups?.['alternatives'] ?? regexp.source;
  const names = keys.map(({ name }) => String(name));
  const paths = source.split(/\|(?=\^)/).flatMap((alternative) => pathOf(alternative, names) ?? []);
  return paths.length > 0 ? paths : [regexp];
}

/** Returns the path of one expression, and removes the names of its parameters from `names`. */
function pathOf(source: string, names: string[]): string | undefined {
  if (!source.startsWith('^') || !source.endsWith(END)) return undefined;
  const text = source.slice(1, -END.length);
  let path = '';
  for (PART.lastIndex = 0; PART.lastIndex < text.length;) {
    const part = PART.exec(text)?.groups;
    if (!part) return undefined;
    const { slash, own, optional = '', wildcard, text: letter } = part;
    if (letter !== undefined) path += letter.slice(-1);
    else if (wildcard !== undefined) path += `${names.shift() && '*'}`;
    else
      path += `${slash ? '/' : ''}:${names.shift()}${/^\[\^|^\(\?:\(\?!/.test(String(own)) ? '' : `(${own})`}${optional}`;
  }
  return path === '' ? '/' : path;
}
