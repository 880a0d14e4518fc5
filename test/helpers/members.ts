import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(__dirname, '../..');

interface Member {
  readonly name: string;
  /** The alternatives of the type in one order, for example `string | undefined`. */
  readonly type: string;
}

interface DeclaredMember extends Member {
  readonly isOptional: boolean;
}

interface ListedMember extends Member {
  /** The codes between the name and the type. */
  readonly owners: readonly string[];
  /** The word after the type: `required`, `optional` or none. */
  readonly mark: string;
}

/** Returns the members of types that a file exports, and of a union the members of each type in it. */
export function declaredMembers(file: string, ...names: readonly string[]): DeclaredMember[][] {
  const fileName = path.join(ROOT, file);
  const options = { strict: true, module: ts.ModuleKind.Node20, lib: ['lib.es2023.d.ts'], types: ['node'] };
  const program = ts.createProgram([fileName], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(fileName);
  const module = source && checker.getSymbolAtLocation(source);
  const types = names.flatMap((name) => {
    const exported = module && checker.tryGetMemberInModuleExports(name, module);
    if (exported === undefined) throw new Error(`${file} exports no ${name}.`);
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    return type.isUnion() ? type.types : [type];
  });
  return types.map((type) =>
    checker.getPropertiesOfType(type).map((member) => {
      const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
      const declared = checker.getTypeOfSymbol(member);
      const given = isOptional ? checker.getNonNullableType(declared) : declared;
      const text = checker.typeToString(given, undefined, ts.TypeFormatFlags.InTypeAlias);
      return { name: member.name, type: inOneOrder(text), isOptional };
    }),
  );
}

/** Returns the members in the lists of a text: "- **`name`** of `owner` and `owner`: `type` or `type`, required". */
export function listedMembers(text: string): ListedMember[] {
  const items = text.matchAll(/^- \*\*`(\w+)`\*\*([^:]*):([^]*?)(?:, (required|optional))?(?:\\$|$(?!\n {2}))/gm);
  return [...items].map(([, name = '', owners = '', types = '', mark = '']) => ({
    name,
    owners: codesIn(owners),
    type: inOneOrder(codesIn(types).join(' | ')),
    mark,
  }));
}

export function codesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** Returns a type without the differences between the compiler and the pages. */
function inOneOrder(type: string): string {
  const text = type.replaceAll("'", '"').replaceAll(/(\w+\?: \w+) \| undefined/g, '$1');
  return text
    .replace(/^readonly /, '')
    .split(' | ')
    .sort()
    .join(' | ');
}
