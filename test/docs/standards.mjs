// Writes the tables of docs/asvs.md and docs/pci-dss.md. The rows are in test/docs, in a JSON file with the name of the page,
// and the links come from the titles of tests that end in tags: `(ASVS 6.3.1, 6.3.8)`, `(ASVS 7.4.2) (PCI 8.2.5)`.
// With --check it compares instead, and fails when a page differs. --tests names another folder of tests.
// It always fails when a tag names an unknown requirement, and when a requirement that needs a test has none.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The word in the tags of each page. */
const TAGS = { asvs: 'ASVS', 'pci-dss': 'PCI' };

/** The folders of whole projects, which mocha ignores. */
const IGNORED = /^(?:consumers|api-tools)\b/;

/** The markers of the generated part of a page, which Prettier leaves as it is. */
const GENERATED = /(?<=<!-- prettier-ignore-start -->\n).*(?=<!-- prettier-ignore-end -->)/s;

/** The text of a row about a requirement, without a link to a test. A sample has a test
 * of the code that the host copies from a page, or of our part. */
const LABELS = { met: '', sample: 'Host: ', "host's duty": 'Host: ', 'not applicable': 'Not applicable: ' };

/** The rows that need a test. */
const TESTED = ['met', 'sample'];

/** Returns the numbers of a standard in the titles of a file's tests, each once. */
function numbersIn(file, tag) {
  // The first line of a test. A skipped test proves nothing, so `it.skip` does not match.
  const tagged = new RegExp(`^ *it\\(\\s*(['"\`]).* \\(${tag} ([^()]+)\\)(?: \\([A-Z]+ [^()]+\\))*\\1,`, 'gm');
  const tags = readFileSync(file, 'utf8').matchAll(tagged);
  return [...new Set([...tags].flatMap(([, , numbers]) => numbers.split(', ')))];
}

/** Returns the numbers of a row. Requirements with the same answer share a row. */
function numbersOf({ number }) {
  return number.split(', ');
}

/** Returns the files that prove each requirement, by its number. Their paths are relative to the folder. */
function findProofs(folder, name, rows) {
  const tag = TAGS[name];
  const tested = rows.filter(({ how }) => TESTED.includes(how)).flatMap(numbersOf);
  const proofs = new Map(tested.map((number) => [number, []]));
  const names = readdirSync(folder, { recursive: true }).map((file) => file.replaceAll(path.sep, '/'));
  const files = names.filter((file) => file.endsWith('.test.ts'));
  for (const file of files.filter((one) => !IGNORED.test(one)).sort()) {
    for (const number of numbersIn(path.join(folder, file), tag)) {
      if (!proofs.has(number)) {
        throw new Error(`${file} has the tag (${tag} ${number}). ${name}.json has no such row that needs a test.`);
      }
      proofs.get(number).push(file);
    }
  }
  for (const [number, found] of proofs) {
    if (found.length === 0) {
      throw new Error(`${name}.json says that ${number} has a test. No test has the tag (${tag} ${number}).`);
    }
  }
  return proofs;
}

function rowOf(row, proofs) {
  const { number, level, requirement, how, reason } = row;
  const files = new Set(numbersOf(row).flatMap((one) => proofs.get(one) ?? []));
  const links = [...files]
    .sort()
    .map((file) => `[${file.replace('.test.ts', '')}](../test/${file})`)
    .join(', ');
  const answer = LABELS[how] + [reason, links].filter(Boolean).join(': ');
  return `| ${[number, level, requirement, answer].filter((cell) => cell !== undefined).join(' | ')} |`;
}

function renderChapter({ number, title, requirements: rows }, proofs) {
  const columns = ['number', ...('level' in rows[0] ? ['level'] : []), 'requirement', 'how'];
  const head = [columns, columns.map(() => '---')].map((cells) => `| ${cells.join(' | ')} |`);
  const heading = ['##', number, title].filter((word) => word !== undefined).join(' ');
  return [heading, '', ...head, ...rows.map((row) => rowOf(row, proofs)), ''].join('\n');
}

function updatePage(name, { check, tests }) {
  const { chapters } = JSON.parse(readFileSync(path.join(import.meta.dirname, `${name}.json`), 'utf8'));
  const proofs = findProofs(
    tests,
    name,
    chapters.flatMap(({ requirements }) => requirements),
  );
  const page = path.join(ROOT, `docs/${name}.md`);
  const current = readFileSync(page, 'utf8');
  const tables = chapters.map((chapter) => renderChapter(chapter, proofs)).join('\n');
  if (!GENERATED.test(current)) throw new Error(`docs/${name}.md has no markers for its tables.`);
  const next = current.replace(GENERATED, () => `\n${tables}\n`);
  if (!check) writeFileSync(page, next);
  else if (current !== next) {
    throw new Error(
      `docs/${name}.md differs from its data and the tests. Run \`npm run standards\` and commit the result.`,
    );
  }
}

const options = parseArgs({
  options: { check: { type: 'boolean' }, tests: { type: 'string', default: path.join(ROOT, 'test') } },
}).values;

try {
  for (const name of Object.keys(TAGS)) updatePage(name, options);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
