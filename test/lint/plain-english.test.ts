import { expect } from 'chai';
import { Linter } from 'eslint';
import { complaintsAboutEnglish, complaintsAboutPage, plainEnglish } from './plain-english.mjs';

const THIRTY_WORDS = `The store ${'really '.repeat(27)}fails.`;
const TOO_LONG = THIRTY_WORDS.replace('fails.', 'fails now.');

/** Sixteen words without an end. */
const HALF = 'The store of this host fails in one of the eleven known ways here and there';

/** Lints TypeScript-free code with the rule alone. */
function lint(code: string): string[] {
  const config = {
    plugins: { local: { rules: { english: plainEnglish } } },
    rules: { 'local/english': 'error' },
  } as const;
  return new Linter().verify(code, config).map(({ line, message }) => `${line}: ${message}`);
}

describe('the lint for plain English', () => {
  it('allows 30 words in a sentence, and counts code as one', () => {
    expect(complaintsAboutEnglish(TOO_LONG)).to.deep.equal([
      `use at most 30 words in a sentence, not 31: "${TOO_LONG}"`,
    ]);
    for (const text of [THIRTY_WORDS, `${THIRTY_WORDS} ${THIRTY_WORDS}`, THIRTY_WORDS.replace('store', '`a b` - a')]) {
      expect(complaintsAboutEnglish(text), text).to.deep.equal([]);
    }
  });

  it('counts the words of each tag, list item and paragraph separately', () => {
    for (const end of ['\n@throws ', '\n- ', '\n\n', ': `x` ', '. `x` ']) {
      expect(complaintsAboutEnglish(`${HALF}${end}${HALF}`), end).to.deep.equal([]);
    }
    expect(complaintsAboutEnglish(`${HALF}\n${HALF}`)).to.have.length(1);
  });
});

describe('the ESLint rule for plain English', () => {
  const COMPLAINT = `Plain English: use at most 30 words in a sentence, not 31: "${TOO_LONG}"`;

  it('reads comments, including a sentence that goes on in the next line', () => {
    expect(lint(`/**\n * ${TOO_LONG.replace('really', 'really\n *')}\n */\n`)).to.deep.equal([`1: ${COMPLAINT}`]);
    expect(lint(`\n// ${TOO_LONG.replace('really', 'really\n//')}\n`)).to.deep.equal([`2: ${COMPLAINT}`]);
    expect(lint(`// ${HALF}\n\n// ${HALF}\n`)).to.deep.equal([]);
  });

  it('leaves out directives and the code of examples', () => {
    expect(lint(`// @ts-expect-error -- ${TOO_LONG}\n`)).to.deep.equal([]);
    expect(lint(`/**\n * Parses a form.\n *\n *     // ${TOO_LONG}\n */\n`)).to.deep.equal([]);
  });
});

describe('the lint for pages in plain English', () => {
  it('reads headings, paragraphs, list items, cells, quotes and the text of links', () => {
    for (const line of ['# X', 'X', '- X', '2. X', '| X | a |', '> X', '[X](a.md)', '**X**']) {
      expect(complaintsAboutPage(`${line.replace('X', TOO_LONG)}\n`), line).to.have.length(1);
    }
  });

  it('counts the words of each item, cell and hard line break separately', () => {
    for (const end of ['\n- ', '\n2. ', ' | ', '\\\n']) {
      expect(complaintsAboutPage(`| ${HALF}${end}${HALF} |`), end).to.deep.equal([]);
    }
    expect(complaintsAboutPage(`${HALF} ${HALF}`)).to.have.length(1);
  });

  it('leaves out code, comments and tags', () => {
    for (const text of [`\`\`\`js\n// ${TOO_LONG}\n\`\`\``, `<!-- ${TOO_LONG} -->`, `\`${TOO_LONG}\``]) {
      expect(complaintsAboutPage(`${text}\n`), text).to.deep.equal([]);
    }
  });
});
