/** Lists the modules that each module imports, the highest first. A module is a folder of src. */
const layers = {
  openapi: ['login', 'ownership', 'tokens', 'errors', 'base'],
  guard: ['ownership', 'store', 'http', 'tokens', 'sources', 'body', 'events', 'errors', 'base'],
  login: ['store', 'passwords', 'http', 'queue', 'tokens', 'throttle', 'sources', 'body', 'events', 'errors', 'base'],
  ownership: ['store', 'http', 'tokens', 'sources', 'body', 'events', 'errors', 'base'],
  testing: ['store', 'tokens', 'base'],
  store: ['passwords', 'tokens', 'sources', 'errors', 'base'],
  passwords: ['queue', 'errors', 'base'],
  http: ['queue', 'body', 'errors', 'base'],
  queue: ['sources', 'errors', 'base'],
  tokens: ['events', 'errors', 'base'],
  throttle: ['events', 'base'],
  sources: ['events', 'errors'],
  body: ['events', 'errors', 'base'],
  events: ['errors', 'base'],
  errors: ['base'],
  base: [],
};

/** Lists the files or folders that may import each package. No other file imports it, its types included. */
const packages = {
  express: ['login/', 'guard/', 'ownership/', 'body/', 'http/'],
  ajv: ['login/broken-rules.ts'],
  passport: ['login/passport-local.ts'],
  'passport-local': ['login/passport-local.ts'],
  'passport-jwt': ['tokens/passport-jwt.ts'],
};

const anyOf = (names) => `(${names.map((name) => name.replaceAll('.', '\\.')).join('|')})`;
const folders = (modules) => `^src/${anyOf(modules)}/`;

const layerRules = Object.entries(layers).map(([module, allowed]) => ({
  name: `layer-${module}`,
  severity: 'error',
  comment: `src/${module} may import only: ${allowed.join(', ') || 'no other module'}.`,
  from: { path: folders([module]) },
  to: { path: '^(client/|audit/)?src/', pathNot: folders([module, ...allowed]) },
}));

const packageRules = Object.entries(packages).map(([name, allowed]) => ({
  name: `package-${name}`,
  severity: 'error',
  comment: `Only src/${allowed.join(', src/')} may import ${name}.`,
  from: { path: '^src/', pathNot: `^src/${anyOf(allowed)}` },
  // Matches the package, its types, and the bare name of a package that is not installed.
  to: { path: `(^|node_modules/|@types/)${name}(/|$)` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycle',
      severity: 'error',
      comment: 'Imports go down only. A type-only import counts as an import.',
      from: { path: '^(client/|audit/)?src/' },
      to: { circular: true },
    },
    {
      name: 'files-in-modules',
      severity: 'error',
      comment: 'The root of src holds only index.ts and index.mts. Every folder has a row in `layers`.',
      // No file has 100 dependents, so the rule reports every file with this path, also one that nobody imports.
      module: {
        path: '^src/',
        pathNot: ['^src/index\\.m?ts$', folders(Object.keys(layers))],
        numberOfDependentsLessThan: 100,
      },
      from: {},
    },
    {
      name: 'testing-is-not-imported',
      severity: 'error',
      comment: 'src/testing is for the tests of hosts. The package itself does not need it.',
      from: { path: '^src/', pathNot: '^src/testing/' },
      to: { path: '^src/testing/' },
    },
    {
      name: 'testing-wrapper',
      severity: 'error',
      comment: 'src/testing/index.mts imports only src/testing.',
      from: { path: '^src/testing/index\\.mts$' },
      to: { pathNot: '^src/testing/' },
    },
    {
      name: 'client-imports-nothing',
      severity: 'error',
      comment: 'The client is a package without dependencies, and runs on each platform.',
      from: { path: '^client/src/' },
      to: { pathNot: '^client/src/' },
    },
    {
      name: 'audit-imports-the-core-by-name',
      severity: 'error',
      comment:
        'The audit is a separate package, and uses what the core exports. It needs no other package, not even Express.',
      from: { path: '^audit/src/' },
      to: {
        pathNot: '^audit/src/|^express-merchant-auth(/(testing|openapi))?$|^dist/((testing|openapi)/)?index\\.',
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'audit-of-any-app',
      severity: 'error',
      comment: 'The parts of the audit for any Express app could become a package without express-merchant-auth.',
      from: { path: '^audit/src/(ask|rows|command)/' },
      to: { pathNot: '^audit/src/(ask|rows|command)/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'no-unresolved',
      severity: 'error',
      comment: 'The other rules need the path of every imported file.',
      from: { path: '^src/' },
      to: { couldNotResolve: true },
    },
    ...layerRules,
    ...packageRules,
  ],
  options: { tsPreCompilationDeps: true, doNotFollow: { path: 'node_modules' } },
};
