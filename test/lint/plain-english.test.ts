import { expect } from 'chai';
import { Linter } from 'eslint';
import { complaintsAboutEnglish, complaintsAboutPage, plainEnglish } from './plain-english.mjs';

const THIRTY_WORDS = `The store ${'really '.repeat(27)}fails.`;

/** Each rule: its advice, hard sentences, and plain sentences that look similar. */
const RULES: Readonly<Record<string, { readonly hard: readonly string[]; readonly plain: readonly string[] }>> = {
  'open with a subject or a verb': {
    hard: [
      'What the caller sent.',
      'Whether a value is a promise.',
      'Who may log in.',
      'Which key signs.',
      'How a login waits.',
      'Whose key it is.',
      'Reads a body. What is left is dropped.',
      'Reads a body. @returns a value. Whether it is one.',
    ],
    plain: ['What does the caller get?', 'Says what the caller sent.', 'Whatever fails goes to `next`.'],
  },
  'write "is not a"': {
    hard: ['A form is no JSON.', 'Users are no merchants.'],
    plain: [
      'A form is not JSON.',
      'The key is no longer valid.',
      'There is no default.',
      'Reads until there are no more.',
    ],
  },
  'write "its own" before the noun': {
    hard: ['Each has a thread of its own.', 'Use a database of your own.'],
    plain: ['Each has its own thread.'],
  },
  'name the person or the program': {
    hard: ['Only somebody who has the key can sign.', 'Whoever asks gets it.'],
    plain: ['A login decides who has to wait.', 'Says who hasted.'],
  },
  'name the maker': {
    hard: ['An app of another making is skipped.'],
    plain: ['An app of another framework is skipped.'],
  },
  'write "instead" or "replaces"': {
    hard: ['Removes it and puts a decoy in its place.'],
    plain: ['Compares with a decoy in place of the hash.'],
  },
  'name the event or the message': { hard: ['The host is told.'], plain: ['The host told us.'] },
  'write "while"': { hard: ['Waits for as long as it fails.'], plain: ['Waits as long as the store.'] },
  'repeat the noun': { hard: ['Keeps such a one.'], plain: ['Keeps such a key.'] },
  'write what happens, without a picture': {
    hard: ['It chafes.', 'It sheds light on it.', 'It stands behind the guard.', 'The field is spelled wrongly.'],
    plain: ['It is an event of type `login_shed`.', 'The spelling is wrong.'],
  },
  'use at most 30 words in a sentence, not 31': {
    hard: [THIRTY_WORDS.replace('fails.', 'fails now.')],
    plain: [THIRTY_WORDS, `${THIRTY_WORDS} ${THIRTY_WORDS}`, `${THIRTY_WORDS} \`a b\` - a.`],
  },
};

/** Lints TypeScript-free code with the rule alone. */
function lint(code: string): string[] {
  const config = {
    plugins: { local: { rules: { english: plainEnglish } } },
    rules: { 'local/english': 'error' },
  } as const;
  return new Linter().verify(code, config).map(({ line, message }) => `${line}: ${message}`);
}

describe('the lint for plain English', () => {
  for (const [advice, { hard, plain }] of Object.entries(RULES)) {
    it(`finds sentences to which it says: ${advice}`, () => {
      for (const text of hard) expect(complaintsAboutEnglish(text), text).to.have.length(1);
      for (const text of hard) expect(complaintsAboutEnglish(text)[0]).to.match(new RegExp(`^${advice}: ".+"$`));
    });

    it(`accepts plain sentences that look like: ${advice}`, () => {
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
    const half = 'The store of this host fails in one of the eleven known ways here';
    for (const page of [
      `- ${half}\n- ${half}`,
      `1. ${half}\n2. ${half}`,
      `| ${half} | ${half} |`,
      `${half}\\\n${half}`,
    ]) {
      expect(complaintsAboutPage(page.replaceAll('here', 'here and there')), page).to.deep.equal([]);
    }
    expect(complaintsAboutPage(`${half} ${half} and there and here`)).to.have.length(1);
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
