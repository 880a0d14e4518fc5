import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { format, resolveConfig } from 'prettier';
import semver from 'semver';
import { catalogue } from '../../src/errors/catalogue.js';
import { refusalsOf } from '../../src/openapi/responses.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { readPage } from '../helpers/snippets.js';
import { recordAnswers } from './answers.js';
import { sectionOf } from './changelog.mjs';
import { changesBetween, type RecordedAnswer, type Snapshot, warningCodes } from './snapshot.js';

const FOLDER = 'test/spec/responses';
const ROOT = path.resolve(__dirname, '../..');
const { version } = JSON.parse(readPage('package.json')) as { version: string };
const FILE = `${FOLDER}/${version}.json`;

/** `npm run responses` sets it. */
const IS_UPDATE = process.argv.includes('--update');

const HINT = `${FILE} differs from the code. Run \`npm run responses\`, and commit the result.`;

function read(name: string): Snapshot {
  return JSON.parse(readPage(`${FOLDER}/${name}.json`)) as Snapshot;
}

async function write(snapshot: Snapshot): Promise<void> {
  const file = path.join(ROOT, FILE);
  const text = await format(JSON.stringify(snapshot), { ...(await resolveConfig(file)), parser: 'json' });
  fs.writeFileSync(file, text);
}

onEachExpress('The snapshot of this version', (framework) => {
  it('has every answer of the package, exactly', async () => {
    const snapshot: Snapshot = { answers: await recordAnswers(framework), warnings: warningCodes() };
    if (IS_UPDATE && framework.major === 4) await write(snapshot);
    expect(fs.existsSync(path.join(ROOT, FILE)), HINT).to.equal(true);
    expect(read(version), HINT).to.deep.equal(snapshot);
    // The order of the members counts too.
    expect(JSON.stringify(read(version)), HINT).to.equal(JSON.stringify(snapshot));
  });
});

describe('The snapshot of this version', () => {
  it('has each code of the catalogue at each operation that answers with it', () => {
    const { answers } = read(version);
    const keys = Object.keys(answers);
    const codes = Object.keys(catalogue);
    expect(new Set(keys.map((key) => key.split(' ')[0]))).to.deep.equal(new Set(['success', ...codes]));
    for (const operation of ['Login', 'Request'] as const) {
      for (const { status, response } of refusalsOf(operation, 'merchant', 'refercence_cl')) {
        for (const code of Object.keys(response.content['application/json'].examples)) {
          const of = keys.filter(
            (key) => key.startsWith(`${code} `) && key.includes('/login') === (operation === 'Login'),
          );
          expect(of, `${operation} ${code}`).to.have.length.above(0);
          expect(String(answers[of[0] ?? '']?.status), code).to.equal(status);
        }
      }
    }
  });

  it('has a file for each version with a date in CHANGELOG.md', () => {
    const dated = [...readPage('CHANGELOG.md').matchAll(/^## (\S+) - \d{4}-\d\d-\d\d$/gm)].map(([, one = '']) => one);
    const files = [version, ...dated].map((one) => `${one}.json`);
    expect(fs.readdirSync(path.join(ROOT, FOLDER))).to.include.members(files);
  });

  it('has no change since the last version that CHANGELOG.md does not mention', () => {
    const names = fs.readdirSync(path.join(ROOT, FOLDER)).map((file) => path.basename(file, '.json'));
    const [last] = semver.rsort(names.filter((name) => semver.lt(name, version)));
    const changes = last === undefined ? [] : changesBetween(read(last), read(version));
    const { text = '' } = sectionOf(readPage('CHANGELOG.md'), version) ?? {};
    expect(changes.filter((name) => !text.includes(`\`${name}\``))).to.deep.equal([]);
  });
});

describe('The changes between two snapshots', () => {
  const REFUSAL: RecordedAnswer = { status: 401, headers: {}, body: { error: 'some_code', message: 'Refused' } };
  const LOGIN: RecordedAnswer = { status: 200, headers: { 'cache-control': 'no-store' }, body: { success: true } };
  const LAST: Snapshot = {
    answers: { 'some_code GET /': REFUSAL, 'success POST /login': LOGIN },
    warnings: ['EMA_ONE', 'EMA_TWO'],
  };

  it('are the answers and warnings that are gone or different, and no new ones', () => {
    const { message, error } = REFUSAL.body;
    for (const [current, changes] of [
      [LAST, []],
      [{ answers: { ...LAST.answers, 'added_code GET /': REFUSAL }, warnings: ['EMA_ONE', 'EMA_TWO', 'EMA_3'] }, []],
      [{ answers: {}, warnings: ['EMA_TWO'] }, ['some_code', 'success', 'EMA_ONE']],
      [{ ...LAST, answers: { ...LAST.answers, 'success POST /login': { ...LOGIN, headers: {} } } }, ['success']],
      [
        { ...LAST, answers: { ...LAST.answers, 'some_code GET /': { ...REFUSAL, body: { message, error } } } },
        ['some_code'],
      ],
    ] as const) {
      expect(changesBetween(LAST, current)).to.deep.equal(changes);
    }
  });
});
