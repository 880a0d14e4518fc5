import { expect } from 'chai';
import { Linter } from 'eslint';
import { complaintsAboutEnglish, complaintsAboutPage, plainEnglish } from './plain-english.mjs';

const THIRTY_WORDS = `The store ${'really '.repeat(27)}fails.`;

/** Each rule: its advice, hard sentences, and plain sentences that look similar. */
const RULES: readonly (readonly [advice: string, hard: readonly string[], plain: readonly string[]])[] = [
  [
    'open with a subject or a verb',
    [
      'What it sent.',
      'Whether it is.',
      'Who may.',
      'Which signs.',
      'How it waits.',
      'Whose it is.',
      'Is. @returns it. How it is.',
    ],
    ['What does the caller get?', 'Says what the caller sent.', 'Whatever fails goes to `next`.'],
  ],
  [
    'write "is not a"',
    ['A form is no JSON.', 'Users are no merchants.'],
    ['The key is no longer valid.', 'There is no default.', 'Reads until there are no more.'],
  ],
  [
    'write "its own" before the noun',
    ['Each has a thread of its own.', 'Use a database of your own.'],
    ['Its own thread.'],
  ],
  [
    'name the person or the program',
    ['Somebody who has the key.', 'Whoever asks gets it.'],
    ['It decides who has to wait.'],
  ],
  ['name the maker', ['An app of another making is skipped.'], ['An app of another framework is skipped.']],
  ['write "instead" or "replaces"', ['Puts a decoy in its place.'], ['Compares with a decoy in place of the hash.']],
  ['name the event or the message', ['The host is told.'], ['The host told us.']],
  ['write "while"', ['Waits for as long as it fails.'], ['Waits as long as the store.']],
  ['repeat the noun', ['Keeps such a one.'], ['Keeps such a key.']],
  [
    'write what happens, without a picture',
    ['It chafes.', 'It sheds light on it.', 'It stands behind the guard.', 'The field is spelled wrongly.'],
    ['It is an event of type `login_shed`.', 'The spelling is wrong.'],
  ],
  [
    'use at most 30 words in a sentence, not 31',
    [THIRTY_WORDS.replace('fails.', 'fails now.')],
    [THIRTY_WORDS, `${THIRTY_WORDS} ${THIRTY_WORDS}`, `${THIRTY_WORDS} \`a b\` - a.`],
  ],
];

/** Lints TypeScript-free code with the rule alone. */
function lint(code: string): string[] {
  const config = {
    plugins: { local: { rules: { english: plainEnglish } } },
    rules: { 'local/english': 'error' },
  } as const;
  return new Linter().verify(code, config).map(({ line, message }) => `${line}: ${message}`);
}

describe('the lint for plain English', () => {
  for (const [advice, hard, plain] of RULES) {
    it(`tells hard sentences from plain ones: ${advice}`, () => {
      for (const text of hard) expect(complaintsAboutEnglish(text).join()).to.match(new RegExp(`^${advice}: "[^"]+"$`));
      for (const text of plain) expect(complaintsAboutEnglish(text), text).to.deep.equal([]);
    });
  }

  it('counts the words of each tag, list item and paragraph separately', () => {
    const half = 'The store of this host fails in one of the ten known ways here';
    for (const end of ['\n@throws ', '\n- ', '\n\n', ': `x` ', '. `x` ']) {
      expect(complaintsAboutEnglish(`${half} and there ${end}${half} and there`), end).to.deep.equal([]);
    }
    expect(complaintsAboutEnglish(`${half} and there\n${half} and there`)).to.have.length(1);
  });
});

describe('the ESLint rule for plain English', () => {
  const COMPLAINT = 'Plain English: write "is not a"';

  it('reads comments, also when a sentence goes on in the next line', () => {
    expect(lint('/**\n * A form is\n * no JSON.\n */\n')).to.deep.equal([`1: ${COMPLAINT}: "A form is no JSON."`]);
    expect(lint('\n// A form is\n// no JSON.\n')).to.deep.equal([`2: ${COMPLAINT}: "A form is no JSON."`]);
    expect(lint('// A form is\n\n// no JSON.\n')).to.deep.equal([]);
  });

  it('leaves out directives and the code of examples', () => {
    expect(lint('// @ts-expect-error -- a form is no JSON\n')).to.deep.equal([]);
    expect(lint('/**\n * Parses a form.\n *\n *     // which is no JSON\n */\n')).to.deep.equal([]);
  });

  it('reads strings and templates of several words, such as titles, at any length', () => {
    expect(lint("it('says that a form is no JSON');")).to.have.length(1);
    expect(lint('throw new Error(`${x} says that it is no JSON`);')).to.have.length(1);
    expect(lint("it('is no JSON');")).to.deep.equal([]);
    expect(lint(`it('${THIRTY_WORDS.slice(0, -1)} and fails');`)).to.deep.equal([]);
  });
});

describe('the lint for pages in plain English', () => {
  const HARD = 'is no JSON';

  it('reads headings, paragraphs, list items, cells, quotes and the text of links', () => {
    for (const line of [`# A form ${HARD}`, `A form ${HARD}.`, `- A form ${HARD}`, `2. A form ${HARD}`]) {
      expect(complaintsAboutPage(`${line}\n`), line).to.deep.equal([
        `write "is not a": "${line.startsWith('#') ? 'Heading form' : 'A form'} ${HARD}${line.endsWith('.') ? '.' : ''}"`,
      ]);
    }
    for (const line of [`| A form | ${HARD} |`, `> A form ${HARD}`, `A [form ${HARD}](a.md).`, `A **form** ${HARD}.`]) {
      expect(complaintsAboutPage(`${line}\n`), line).to.have.length(1);
    }
  });

  it('counts the words of each item, cell and hard line break separately', () => {
    const half = 'The store of this host fails in one of the eleven known ways here and there';
    for (const end of ['\n- ', '\n2. ', ' | ', '\\\n']) {
      expect(complaintsAboutPage(`| ${half}${end}${half} |`), end).to.deep.equal([]);
    }
    expect(complaintsAboutPage(`${half} ${half} and here`)).to.have.length(1);
  });

  it('leaves out code, comments and tags', () => {
    for (const text of [`\`\`\`js\n// A form ${HARD}\n\`\`\``, `<!-- A form ${HARD}. -->`, `\`A form ${HARD}\``]) {
      expect(complaintsAboutPage(`${text}\n`), text).to.deep.equal([]);
    }
  });

  it('lets a heading open with any word', () => {
    expect(complaintsAboutPage('## What it does not check\n')).to.deep.equal([]);
    expect(complaintsAboutPage('What it does not check.\n')).to.have.length(1);
  });
});
