// Writes the generated blocks of docs/options.md, client/README.md and docs/events.md from the types and docstrings. Writes
// the table of errors in the merchants' pages from the catalogue, and the codes in their samples. With --check it compares
// instead, and fails when a page differs.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EVENTS = 'src/events/auth-event.ts';
const CATALOGUE = 'src/errors/catalogue.ts';

/** The factories of each entry point, in the order of its page. */
const FACTORIES = {
  'src/index.ts': [
    'createLogin',
    'createLoginRouter',
    'createGuard',
    'requireBearer',
    'requireOwnReference',
    'authErrorHandler',
    'createTokens',
    'createPasswords',
    'createLoginThrottle',
    'createCachedUserStore',
  ],
  'src/openapi/index.ts': ['openApi'],
  'client/src/index.ts': ['createMerchantClient'],
};

/** The pages of types that have a page. */
const PAGES = { UserStore: 'docs/writing-a-store.md' };

/** The pages for merchants, each with its words for when to repeat a request. */
const MERCHANTS = {
  'docs/for-merchants.md': { never: 'never unchanged', login: 'once, after a login', after: 'after `Retry-After`' },
  'docs/fr/pour-les-marchands.md': {
    never: 'jamais telle quelle',
    login: 'une fois, après reconnexion',
    after: 'après `Retry-After`',
  },
};

/** The lists of the codes after which a client logs in again, in the samples for bash, PHP and Python. */
const LISTS = [
  { codes: /(?<="error":"\()[^)]+/, separator: '|' },
  { codes: /(?<=REFUSED_TOKEN = \[')[^\]]+(?='\])/, separator: "', '" },
  { codes: /(?<=refused = \(")[^)]+(?="\))/, separator: '", "' },
];

const program = ts.createProgram(Object.keys(FACTORIES).map(inRoot), compilerOptions());
const checker = program.getTypeChecker();
const factories = Object.keys(FACTORIES).flatMap(factoriesOf);

/** The place on the page of each type that has one. */
const places = new Map([
  ...factories.map(({ name, made }) => [made, anchorOf(name)]),
  ...factories.map(({ name, options }) => [options.name.text, anchorOf(name)]),
  ...Object.entries(PAGES),
]);

const { check } = parseArgs({ options: { check: { type: 'boolean' } } }).values;
await updatePage('docs/options.md', 'options', optionsBlock('src/'));
await updatePage('client/README.md', 'options', optionsBlock('client/src/'));
await updatePage('docs/events.md', 'events', eventsBlock());
for (const [page, words] of Object.entries(MERCHANTS)) {
  await updatePage(page, 'errors', errorsBlock(page, words));
  updateLists(page);
}

/** Writes or compares the block of a page. */
async function updatePage(page, name, text) {
  const file = inRoot(page);
  const linked = text.replaceAll('](docs/', path.dirname(page) === 'docs' ? '](' : '](../docs/');
  const formatted = await format(linked, { ...(await resolveConfig(file)), parser: 'markdown', proseWrap: 'always' });
  const current = blockOf(page, name);
  update(page, (text) => text.replace(current, () => `\n\n${formatted}\n`));
}

/** Writes or compares the lists of codes in the samples of a page. */
function updateLists(page) {
  const entries = Object.entries(catalogue()).filter(([, { retry }]) => retry === 'login');
  const names = entries.map(([name]) => name);
  for (const { codes, separator } of LISTS) {
    update(page, (text) => {
      if (!codes.test(text)) throw new Error(`${page} has no list of codes that matches ${codes}.`);
      return text.replace(codes, names.join(separator));
    });
  }
}

/** Writes a page, or compares it with what it should be. */
function update(page, change) {
  const file = inRoot(page);
  const current = readFileSync(file, 'utf8');
  const next = change(current);
  if (!check) writeFileSync(file, next);
  else if (next !== current) {
    process.stderr.write(`${page} differs from src. Run \`npm run pages\` and commit the result.\n`);
    process.exitCode = 1;
  }
}

/** Returns the text between the markers `<!-- name -->` and `<!-- /name -->` of a page. */
function blockOf(page, name) {
  const [, rest] = readFileSync(inRoot(page), 'utf8').split(`<!-- ${name} -->`);
  const [block, end] = rest?.split(`<!-- /${name} -->`) ?? [];
  if (end === undefined) throw new Error(`${page} has no block "${name}" between its two markers.`);
  return block;
}

/** Finds the exported functions that take options, and compares them with the list above. */
function factoriesOf(file) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(inRoot(file)));
  const found = checker.getExportsOfModule(module).flatMap((symbol) => {
    const signatures = functionsOf(resolve(symbol));
    const options = signatures.flatMap(({ parameters }) => parameters.map(optionsOf)).find(Boolean);
    return options ? [{ file, name: symbol.name, signatures, options, made: madeBy(signatures[0]) }] : [];
  });
  const names = FACTORIES[file];
  if (found.length !== names.length || found.some(({ name }) => !names.includes(name))) {
    throw new Error(`FACTORIES does not list the factories of ${file}: ${found.map(({ name }) => name).join(', ')}.`);
  }
  return found.sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
}

/** Returns the signatures that a caller sees: those of the overloads, or that of the function. */
function functionsOf(symbol) {
  const functions = (symbol.declarations ?? []).filter(ts.isFunctionDeclaration);
  return functions.length > 1 ? functions.filter(({ body }) => body === undefined) : functions;
}

/** Returns the interface of a parameter that takes options. */
function optionsOf({ type }) {
  return type && ts.isTypeReferenceNode(type) && type.getText().endsWith('Options')
    ? declarationOf(type.typeName)
    : undefined;
}

function madeBy({ type }) {
  return type && ts.isTypeReferenceNode(type) ? type.typeName.getText() : undefined;
}

/** Returns the options of the factories whose entry point is in a folder. */
function optionsBlock(folder) {
  const ours = factories.filter(({ file }) => file.startsWith(folder));
  const types = new Map();
  for (const { options } of ours) collectTypes(options, types);
  for (const name of types.keys()) places.set(name, anchorOf(name));
  return [...ours.map(factorySection), '## Types', ...[...types.values()].map(typeSection)].join('\n\n');
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
  return listed(given, 'or');
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

function eventsBlock() {
  const events = eventsIn(program.getSourceFile(inRoot(EVENTS)));
  const [first, ...others] = events.map(({ members }) => members.map(({ name }) => name.text));
  const common = first.filter((name) => others.every((names) => names.includes(name)));
  const rows = events.map(({ name, doc, members }) => {
    const further = members.filter((member) => !common.includes(member.name.text)).map(nameOf);
    return `| \`${name}\` | ${doc} | ${further.join(', ')} |`;
  });
  const lists = [
    events[0].members.filter(({ name }) => common.includes(name.text)).map((member) => eventItem(member)),
    furtherMembers(events, common).map(({ member, names }) => eventItem(member, names)),
  ];
  return [
    ['<!-- prettier-ignore -->', '| event | when | further members |', '| --- | --- | --- |', ...rows].join('\n'),
    'Members of every event:',
    lists[0].join('\n'),
    'Further members:',
    lists[1].join('\n'),
  ].join('\n\n');
}

/** Returns the table of errors. A row keeps the advice of the page, which it finds by its code or its message. */
function errorsBlock(page, words) {
  const [head, ruler, ...rows] = blockOf(page, 'errors').trim().split('\n');
  const advice = new Map();
  for (const row of rows) {
    const [, code, , message, text] = row.split('|').map((cell) => cell.trim());
    for (const key of [code, message]) advice.set(key, text);
  }
  const made = Object.entries(catalogue()).map(([name, { status, message, retry }]) => {
    const code = `\`${name}\``;
    const text = advice.get(code) ?? advice.get(message);
    if (text === undefined) throw new Error(`${page} needs a row of ${code} that says what to do.`);
    return `| ${[code, status, message, text, words[retry]].join(' | ')} |`;
  });
  return [head, ruler, ...made].join('\n');
}

/** Returns the status, the message and the `retry` of each code. */
function catalogue() {
  const { name } = program
    .getSourceFile(inRoot(CATALOGUE))
    .statements.filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .find((declaration) => declaration.name.text === 'catalogue');
  return membersOf(checker.getTypeAtLocation(name), (entry) => membersOf(entry, ({ value }) => value));
}

function membersOf(type, valueOf) {
  const members = checker.getPropertiesOfType(type);
  return Object.fromEntries(members.map((member) => [member.name, valueOf(checker.getTypeOfSymbol(member))]));
}

/** Returns the events of the union, each with its docstring and the declarations of its members. */
function eventsIn(source) {
  const { type: union } = source.statements.find(({ name }) => name?.text === 'AuthEvent');
  return union.types.map((type, index) => {
    const properties = checker.getPropertiesOfType(checker.getTypeFromTypeNode(type));
    const members = properties.map(({ declarations }) => declarations[0]);
    const name = members.find((member) => member.name.text === 'type').type.literal.text;
    // The compiler attaches no docstring to a type of a union.
    const before = source.text.slice(union.types[index - 1]?.end ?? union.pos, type.getStart());
    const [, comment = ''] = /\/\*\*(.*?)\*\//s.exec(before) ?? [];
    return {
      name,
      doc: plain(comment.replace(/^\s*\*/gm, '')),
      members: members.filter((member) => member.name.text !== 'type'),
    };
  });
}

/** Returns the members that not every event has. Equal members of several events are one. */
function furtherMembers(events, common) {
  const found = new Map();
  for (const { name, members } of events) {
    for (const member of members.filter((one) => !common.includes(one.name.text))) {
      const text = eventItem(member);
      found.set(text, { member, names: [...(found.get(text)?.names ?? []), `\`${name}\``] });
    }
  }
  const items = [...found.values()].sort((one, other) => (one.member.name.text < other.member.name.text ? -1 : 1));
  // The table says which events have a member. The events are named where their members differ.
  const namesakes = ({ member }) => items.filter((item) => item.member.name.text === member.name.text);
  return items.map((item) => (namesakes(item).length > 1 ? item : { member: item.member }));
}

function eventItem(member, names = []) {
  const doc = docOf(member);
  const where = names.length > 0 ? ` of ${listed(names, 'and')}` : '';
  return `- **${nameOf(member)}**${where}: ${typeOf(member)}${doc && `\\\n  ${doc}`}`;
}

function nameOf({ name }) {
  return `\`${name.text}\``;
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

function docOf(declaration) {
  const comment = ts.getJSDocCommentsAndTags(declaration).find(ts.isJSDoc)?.comment;
  return plain(ts.getTextOfJSDocComment(comment) ?? '');
}

/** Returns a docstring on one line, with a link to each page that it names. */
function plain(text) {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\bdocs\/[\w-]+\.md/g, '[$&]($&)');
}

/** Joins texts with commas, and the last two with a word. */
function listed(texts, word) {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`;
}

function anchorOf(heading) {
  return `#${heading.toLowerCase()}`;
}

function compilerOptions() {
  const { config } = ts.readConfigFile(inRoot('tsconfig.json'), ts.sys.readFile);
  return ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT).options;
}

function inRoot(file) {
  return path.join(ROOT, file);
}
