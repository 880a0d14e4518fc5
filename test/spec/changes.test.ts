import { expect } from 'chai';
import { type Change, changesBetween, complaintsAbout, lastBefore } from './changes.js';
import type { RecordedAnswer, Snapshot } from './snapshot.js';

const REFUSAL: RecordedAnswer = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer realm="merchant"' },
  body: { code: 401, error: 'code_one', message: 'Token expired', description: 'Log in again.' },
};
const LOGIN: RecordedAnswer = { status: 200, headers: {}, body: { success: true, message: 'Login success' } };

const LAST: Snapshot = {
  answers: { 'code_one GET /': REFUSAL, 'success POST /login': LOGIN },
  warnings: ['EMA_ONE', 'EMA_TWO'],
};

const BREAKING = (name: string): Change[] => [{ name, isBreaking: true }];
const NAMED = (name: string): Change[] => [{ name, isBreaking: false }];

describe('changesBetween', () => {
  const since = (changes: Partial<Snapshot>) => changesBetween(LAST, { ...LAST, ...changes });
  const answering = (key: string, changes: Partial<RecordedAnswer>) => {
    return since({ answers: { ...LAST.answers, [key]: { ...(LAST.answers[key] ?? LOGIN), ...changes } } });
  };

  it('has an answer that is gone, or has another status, header, member or order of members', () => {
    expect(since({ answers: { 'success POST /login': LOGIN } })).to.deep.equal(BREAKING('code_one'));
    expect(since({ answers: { 'code_one GET /': REFUSAL } })).to.deep.equal(BREAKING('POST /login'));
    for (const changes of [
      { status: 403 },
      { headers: {} },
      { headers: { ...REFUSAL.headers, 'retry-after': '5' } },
      { headers: { 'www-authenticate': 'Bearer' } },
      { body: { ...REFUSAL.body, error: 'old_token' } },
      { body: { ...REFUSAL.body, message: undefined } },
      { body: { ...REFUSAL.body, more: 1 } },
    ]) {
      const found = answering('code_one GET /', changes);
      expect(found, JSON.stringify(changes)).to.deep.equal(BREAKING('code_one'));
    }
    const body = { message: 'Login success', success: true };
    expect(answering('success POST /login', { body }), 'another order').to.deep.equal(BREAKING('POST /login'));
  });

  it('has another text of an error as a change that has to be named', () => {
    const headers = { 'www-authenticate': REFUSAL.headers['www-authenticate']?.replace('Log in', 'Log on') ?? '' };
    const body = { ...REFUSAL.body, message: 'Token too old', description: 'Log on again.' };
    expect(answering('code_one GET /', { headers, body })).to.deep.equal(NAMED('code_one'));
    const success = { ...LOGIN.body, message: 'Logged in' };
    expect(answering('success POST /login', { body: success })).to.deep.equal(BREAKING('POST /login'));
  });

  it('has a warning that is gone', () => {
    expect(since({ warnings: ['EMA_TWO', 'EMA_THREE'] })).to.deep.equal(BREAKING('EMA_ONE'));
  });
});

describe('complaintsAbout', () => {
  const changes = [...BREAKING('code_one'), ...NAMED('code_two')];

  it('has each change that no item mentions by its name, with **Breaking** in the same item if it is breaking', () => {
    const breaking = 'CHANGELOG.md 0.2.0 needs a **Breaking** item about `code_one`';
    const missing = [breaking, 'CHANGELOG.md 0.2.0 needs an item about `code_two`'];
    for (const [section, complaints] of [
      ['', missing],
      ['- **Breaking** code_one and code_two.', missing],
      ['**Breaking**\n\n- `code_one`.', missing],
      ['- **Breaking** Another change.\n- `code_one` and `code_two`.', [breaking]],
    ] as const) {
      expect(complaintsAbout('0.2.0', changes, section), section).to.deep.equal(complaints);
    }
  });

  it('refuses a breaking change in a patch, and in a minor from 1.0 on', () => {
    const section = '- **Breaking** `code_one` and `code_two`.';
    const complaint = (version: string) => [`${version} cannot have a **Breaking** item`];
    for (const version of ['0.1.1', '1.0.10', '1.1.0']) {
      expect(complaintsAbout(version, changes, section)).to.deep.equal(complaint(version));
    }
    for (const version of ['0.10.0', '2.0.0']) expect(complaintsAbout(version, changes, section)).to.deep.equal([]);
  });
});

describe('lastBefore', () => {
  it('is the highest version below, by its numbers', () => {
    const versions = ['0.10.0', '0.2.0', '0.9.0', '1.0.0'];
    expect(lastBefore('0.10.0', versions)).to.equal('0.9.0');
    expect(lastBefore('0.11.0', versions)).to.equal('0.10.0');
    expect(lastBefore('0.2.0', versions)).to.equal(undefined);
  });
});
