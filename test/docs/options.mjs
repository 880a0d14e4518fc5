// Writes the list of options in docs/options.md from the types and docstrings. With --check it compares instead, and fails
// when the page differs.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = inRoot('docs/options.md');

const ENTRIES = ['src/index.ts', 'src/openapi/index.ts'].map(inRoot);

const { config } = ts.readConfigFile(inRoot('tsconfig.json'), ts.sys.readFile);
const program = ts.createProgram(ENTRIES, ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT).options);
const checker = program.getTypeChecker();

const current = readFileSync(PAGE, 'utf8');
const [start, end] = current.split(/(?<=<!-- options -->\n)[^]*(?=<!-- \/options -->)/);
const factories = factoriesIn([...start.matchAll(/\]\((#\w+)\)/g)].map(([, anchor]) => anchor));

/** The place of each type that has one. */
const places = new Map([
  ...factories.flatMap(({ name, options, made }) => [made, options.name.text].map((type) => [type, anchorOf(name)])),
  ['UserStore', 'writing-a-store.md'],
]);

const options = { ...(await resolveConfig(PAGE)), parser: 'markdown', proseWrap: 'always' };
const next = `${start}\n${await format(list(), options)}\n${end}`;
if (!process.argv.includes('--check')) writeFileSync(PAGE, next);
else if (next !== current) {
  process.stderr.write('docs/options.md differs from src. Run `npm run pages` and commit the result.\n');
  process.exitCode = 1;
}

/** Returns the exported functions that take options, in the order of the links at the start of the page. */
function factoriesIn(anchors) {
  const found = ENTRIES.flatMap((file) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file))).flatMap((symbol) => {
      const signatures = functionsOf(resolve(symbol));
      const options = signatures.flatMap(({ parameters }) => parameters.map(optionsOf)).find(Boolean);
      return options ? [{ name: symbol.name, signatures, options, made: signatures[0].type?.typeName?.getText() }] : [];
    }),
  );
  const placeOf = ({ name }) => anchors.indexOf(anchorOf(name));
  if (found.length !== anchors.length || found.some((factory) => placeOf(factory) < 0)) {
    throw new Error(`docs/options.md does not link each factory once: ${found.map(({ name }) => name).join(', ')}.`);
  }
  return found.sort((one, other) => placeOf(one) - placeOf(other));
}

/** Returns the signatures that a caller sees: those of the overloads, or that of the function. */
function functionsOf(symbol) {
  const functions = (symbol.declarations ?? []).filter(ts.isFunctionDeclaration);
  return functions.length > 1 ? functions.filter(({ body }) => body === undefined) : functions;
}

/** Returns the interface of a parameter that takes options. */
function optionsOf({ type }) {
  return type?.getText().endsWith('Options') ? declarationOf(type.typeName) : undefined;
}

function list() {
  const types = new Map();
  for (const { options } of factories) collectTypes(options, types);
  for (const name of types.keys()) places.set(name, anchorOf(name));
  return [...factories.map(factorySection), '## Types', ...[...types.values()].map(typeSection)].join('\n\n');
}

/** Collects the types of the sources that options refer to and that have no place on a page. */
function collectTypes(node, types) {
  const declaration = ts.isTypeReferenceNode(node) ? declarationOf(node.typeName) : undefined;
  const isOurs = declaration !== undefined && !ts.isClassDeclaration(declaration) && !places.has(declaration.name.text);
  if (isOurs && literalsOf(node) === undefined && !types.has(declaration.name.text)) {
    types.set(declaration.name.text, declaration);
    collectTypes(declaration, types);
  }
  if (ts.isInterfaceDeclaration(node)) for (const base of basesOf(node)) collectTypes(base, types);
  ts.forEachChild(node, (child) => collectTypes(child, types));
}

function factorySection({ name, signatures, options }) {
  const calls = signatures.map(({ parameters }, index) => {
    const labels = parameters.map((parameter) => {
      const label = `${parameter.name.text}${parameter.questionToken || parameter.initializer ? '?' : ''}`;
      return index === 0 ? label : `${label}: ${parameter.type.getText()}`;
    });
    return `\`${name}(${labels.join(', ')})\``;
  });
  const [summary] = docOf(signatures[0]).split(/(?<=\.)\s/);
  const bases = basesOf(options);
  const shared = factories.filter((factory) => bases.includes(factory.options));
  const own = [...bases.filter((base) => !shared.some((factory) => factory.options === base)), options];
  return [
    `## ${name}`,
    `${calls.join(', or ')}\\\n${summary}`,
    ...own.slice(0, -1).map(docOf),
    ...shared.map((factory) => `All options of [${factory.name}](${anchorOf(factory.name)}), and:`),
    own.flatMap(({ members }) => members.map((member) => explained(memberItem(member, { required: true })))).join('\n'),
  ].join('\n\n');
}

function explained(item) {
  if (!item.includes('\\\n')) throw new Error(`This option has no docstring: ${item}`);
  return item;
}

function typeSection(declaration) {
  const { name, members, type } = declaration;
  const body = members ? members.map((member) => memberItem(member, { required: false })).join('\n') : typeOf(type);
  return [`### ${name.text}`, docOf(declaration), body].filter(Boolean).join('\n\n');
}

/** Returns the list item of a member. It says `required` or `optional`, whichever is rarer there. */
function memberItem(member, { required }) {
  const isRequired = member.questionToken === undefined;
  const mark = isRequired === required ? `, ${required ? 'required' : 'optional'}` : '';
  const doc = docOf(member);
  return `- **\`${member.name.text}\`**: ${typeOf(member)}${mark}${doc && `\\\n  ${doc}`}`;
}

/** Returns the type of a member as code. A name that has a place is a link. */
function typeOf(node) {
  if (ts.isMethodSignature(node)) {
    const parameters = node.parameters.map((parameter) => parameter.getText()).join(', ');
    return codeOf(`(${parameters}) => ${node.type.getText()}`);
  }
  const { type, questionToken } = ts.isTypeNode(node) ? { type: node } : node;
  const codes = literalsOf(type)?.map(codeOf) ?? alternativesOf(type).map((one) => codeOf(one.getText()));
  const given = questionToken ? codes.filter((code) => code !== '`undefined`') : codes;
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(given);
}

function codeOf(type) {
  const code = `\`${type.replace(/^readonly /, '').replace(/\s+/g, ' ')}\``;
  const [, place] = [...places].find(([name]) => new RegExp(`\\b${name}\\b`).test(code)) ?? [];
  return place ? `[${code}](${place})` : code;
}

function alternativesOf(type) {
  if (ts.isParenthesizedTypeNode(type)) return alternativesOf(type.type);
  return ts.isUnionTypeNode(type) ? type.types.flatMap(alternativesOf) : [type];
}

/** Returns the strings of a type that is a union of strings, or `undefined`. */
function literalsOf(node) {
  const type = checker.getTypeFromTypeNode(node);
  const members = (type.isUnion() ? type.types : [type]).filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
  return members.every((member) => member.isStringLiteral()) ? members.map(({ value }) => `'${value}'`) : undefined;
}

function basesOf({ heritageClauses = [] }) {
  return heritageClauses.flatMap(({ types }) => types.map(({ expression }) => declarationOf(expression)));
}

/** Returns the declaration in the sources that a name refers to, or `undefined` for one of another package. */
function declarationOf(name) {
  const symbol = checker.getSymbolAtLocation(name);
  const [declaration] = (symbol && resolve(symbol).declarations) ?? [];
  const isOurs = declaration && !declaration.getSourceFile().fileName.includes('/node_modules/');
  return isOurs && !ts.isTypeParameterDeclaration(declaration) ? declaration : undefined;
}

function resolve(symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Returns a docstring on one line, with a link to each page that it names. */
function docOf(declaration) {
  const comment = ts.getJSDocCommentsAndTags(declaration).find(ts.isJSDoc)?.comment;
  return (ts.getTextOfJSDocComment(comment) ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\bdocs\/([\w-]+\.md)/g, '[$&]($1)');
}

function anchorOf(heading) {
  return `#${heading.toLowerCase()}`;
}

function inRoot(file) {
  return path.join(ROOT, file);
}
