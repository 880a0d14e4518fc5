/** A parameter of path-to-regexp 0.1, a wildcard, a group, a class or a letter. */
const PART =
  /\(\?:(?<slash>\\\/)?\((?<own>\(\?:\.\)\+\?|[^()]*)\)\)(?<optional>\?)?|(?<wild>\(\.\*\)|\.[*+]\??)|\((?:\?:|\?<\w+>)?(?<group>[^()]*)\)|(?<set>\\[dw][+*]?|\[[^\]]*\][+*]?)|\\(?<letter>.)/g;
/** Anchors, the end of a mount and lookaheads. */
const EDGES = /^\^|\\\/\?(?:\(\?=\\\/\|\$\)|\$)?$|\$$|\(\?[=!][^)]*\)/g;

/**
 * Writes a regular expression as paths with parameters. A mount of Express 4 has only its expression, one for a list of
 * paths.
 */
export function templatesOf({ source }: RegExp, names: (string | number)[] = []): readonly string[] {
  const [, list = source] = /^\(\?:(\^.*)\)$/.exec(source) ?? [];
  return list.split(/\|(?=\^)/).map((one) => {
    const write = (...match: unknown[]) => {
      const { slash, own, optional = '', wild, group, set, letter } = match.at(-1) as Partial<Record<string, string>>;
      if (letter !== undefined) return letter;
      const name = names.shift() ?? 'x';
      if (wild !== undefined) return '*';
      const allowed = own ?? group ?? set ?? '';
      return `${slash ? '/' : ''}:${name}${/^\[\^\\?\/\]|^\(\?:\./.test(allowed) ? '' : `(${allowed})`}${optional}`;
    };
    return one.replace(EDGES, '').replace(PART, write) || '/';
  });
}
