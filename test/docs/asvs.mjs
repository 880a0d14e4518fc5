// Writes docs/asvs.md from test/docs/asvs.json and from the titles of the tests that end in a tag: `(ASVS 6.3.1, 6.3.8)`.
// With --check it compares instead, and fails when the page differs. --tests names another folder of tests.
// It always fails when a tag names an unknown requirement, and when a requirement that is met has no test.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import data from './asvs.json' with { type: 'json' };

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = path.join(ROOT, 'docs/asvs.md');

/** The folders of whole projects, which mocha ignores. */
const IGNORED = /^(?:consumers|api-tools)\b/;

/** The first lines of a test whose title ends in a tag. A skipped test proves nothing, so `it.skip` does not match. */
const TAGGED_TEST = /^ *it\(\s*(['"`]).* \(ASVS ([^()]+)\)\1,/gm;

const requirements = data.chapters.flatMap((chapter) => chapter.requirements);

/** Returns the numbers in the titles of a file's tests, each once. */
function numbersIn(file) {
  const tags = readFileSync(file, 'utf8').matchAll(TAGGED_TEST);
  return [...new Set([...tags].flatMap(([, , numbers]) => numbers.split(', ')))];
}

/** Returns the files that prove each requirement, by its number. Their paths are relative to the folder. */
function findProofs(folder) {
  const proofs = new Map(requirements.filter(({ how }) => how === 'met').map(({ number }) => [number, []]));
  const names = readdirSync(folder, { recursive: true }).map((file) => file.replaceAll(path.sep, '/'));
  const files = names.filter((file) => file.endsWith('.test.ts'));
  for (const file of files.filter((name) => !IGNORED.test(name)).sort()) {
    for (const number of numbersIn(path.join(folder, file))) {
      if (!proofs.has(number)) {
        throw new Error(`${file} has the tag (ASVS ${number}). asvs.json has no such "met" row.`);
      }
      proofs.get(number).push(file);
    }
  }
  for (const [number, found] of proofs) {
    if (found.length === 0) {
      throw new Error(`asvs.json says that ${number} is met. No test has the tag (ASVS ${number}).`);
    }
  }
  return proofs;
}

function count(how) {
  return requirements.filter((requirement) => requirement.how === how).length;
}

const INTRODUCTION = `# How do I show that the requirements of OWASP ASVS are met?

This page lists ${requirements.length} requirements of [OWASP ASVS](https://github.com/OWASP/ASVS) 5.0.0. The numbers and levels are those
of ASVS, the words are ours. The requirements concern login, tokens, the ownership check, and the host. The host is the
application that mounts this package. A session of chapter 7 is a token here.

- **Met** (${count('met')}): the row links to test files. The titles of the tests end with the number of the requirement.
- **Host** (${count("host's duty")}): the host has to do it. Start with [the checklist for production](../SECURITY.md#checklist-for-production).
- **Not applicable** (${count('not applicable')}): the row gives the reason.

The command \`npx mocha "test/**/*.test.ts" -g "ASVS.* 6\\.3\\.1\\b"\` runs the tests of requirement 6.3.1. The gate \`npm test\` fails when a
requirement that is met has no test, or a skipped one. The script \`npm run asvs\` writes this page.

Some rows need more words than a table has:

- 6.1.1, 6.3.1: with a wrong [\`trust proxy\`](failed-logins.md#a-wrong-setting), anybody can lock one email out for an hour.
- 6.2.8: bcrypt reads 72 bytes of a password. A bcrypt hash of a longer password is compared by these bytes, until the
  password is changed.
- 6.3.3, 7.2.4, 7.3.1: the interface decides on one factor, on parallel tokens, and on five hours without an idle limit.
- 11.2.3, 11.6.1: RS256, RS384, RS512 and RSA keys of 2048 bits are accepted, because hosts already have them.
- 16.3.3: a body that breaks a rule is not an event.

The page leaves out the requirements about:

- user interfaces, files, WebSockets, GraphQL and encryption
- second factors and identity providers, because the interface has neither
- the configuration of the server, and documents that only a whole application has
`;

const LABELS = { "host's duty": 'Host', 'not applicable': 'Not applicable' };

function rowOf({ number, level, requirement, how, reason }, proofs) {
  const links = proofs.get(number)?.map((file) => `[${file.replace('.test.ts', '')}](../test/${file})`);
  return `| ${number} | ${level} | ${requirement} | ${links?.join(', ') ?? `${LABELS[how]}: ${reason}`} |`;
}

function renderChapter({ number, title, requirements: rows }, proofs) {
  const head = ['| number | level | requirement | how |', '| --- | --- | --- | --- |'];
  return [`## ${number} ${title}`, '', ...head, ...rows.map((row) => rowOf(row, proofs)), ''].join('\n');
}

const { check, tests } = parseArgs({
  options: { check: { type: 'boolean' }, tests: { type: 'string', default: path.join(ROOT, 'test') } },
}).values;

try {
  const proofs = findProofs(tests);
  const text = [INTRODUCTION, ...data.chapters.map((chapter) => renderChapter(chapter, proofs))].join('\n');
  if (!check) writeFileSync(PAGE, text);
  else if (readFileSync(PAGE, 'utf8') !== text) {
    throw new Error(
      'docs/asvs.md differs from test/docs/asvs.json and the tests. Run `npm run asvs` and commit the result.',
    );
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
