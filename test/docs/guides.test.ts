import { expect } from 'chai';
import { blocksOf, complaintsAbout, GUIDES as pages, readPage, writeSnippets } from '../helpers/snippets.js';

/** The questions of all other pages begin with "How do I". */
const QUESTIONS: Readonly<Record<string, string>> = {
  'docs/compared.md': 'How does it',
  'docs/support.md': 'Which versions are',
};

/** The languages of blocks that are not a file: commands, and what programs print. */
const PLAIN = ['sh', 'powershell', 'json', 'text', 'console'];

/** README.md shortens the questions of these pages to one word each, because they differ in one word. */
const SHORTENED = /^docs\/(?:prisma|sequelize|mongoose|knex|drizzle|laravel)\.md$/;

/** Compiled where their packages are installed. */
const { guides: elsewhere } = JSON.parse(readPage('test/consumers/orms/package.json')) as { guides: string[] };

describe('the guides', () => {
  it('answer one question each', () => {
    for (const page of pages) {
      const question = QUESTIONS[page] ?? 'How do I';
      const text = readPage(page).replace(/^```[\s\S]*?^```$/gm, '');
      expect(text, page).to.match(new RegExp(`^# ${question} [^?\\n]+\\?\\n\\n`));
      expect(text.match(/^# /gm), page).to.have.length(1);
    }
  });

  it('are listed in README.md, each once, with its question', () => {
    const guides = readPage('README.md').split('## Guides\n')[1] ?? '';
    const links = [...guides.matchAll(/\[([^\]]+)\]\(([\w/-]+\.md)\)/g)];
    const listed = links.map(([, text = '', page = '']) => ({ text, page })).filter(({ page }) => page.includes('/'));
    expect(listed.map(({ page }) => page)).to.have.members([...pages, 'example-app/README.md']);
    for (const { text, page } of listed) {
      const [, title] = /^# (.*)$/m.exec(readPage(page)) ?? [];
      if (SHORTENED.test(page)) expect(title, page).to.match(new RegExp(`^How .* ${text}\\b.*\\?$`));
      else expect(title, page).to.equal(text);
    }
  });

  it('name the file of every block of code on its first line, because renderers hide what follows the language', () => {
    for (const page of pages) {
      const fences = readPage(page).match(/^```\w.*$/gm) ?? [];
      for (const fence of fences) expect(fence, page).to.match(/^```\w+$/);
      const unnamed = blocksOf(page).filter(({ language, file }) => file === '' && !PLAIN.includes(language));
      expect(unnamed, page).to.deep.equal([]);
    }
  });

  it('compile in a strict project', () => {
    const compiled = ['client/README.md', ...pages.filter((page) => !elsewhere.includes(page))];
    const files = compiled.flatMap(writeSnippets);
    expect(files.length).to.be.above(0);
    expect(complaintsAbout(files)).to.deep.equal([]);
  });

  it('are compiled with the packages that they are about, the others', () => {
    expect(pages).to.include.members(elsewhere);
  });

  it('give the contract kit the functions with which it passes there', () => {
    for (const orm of ['drizzle', 'knex', 'prisma', 'sequelize']) {
      const functions = [...readPage(`docs/${orm}.md`).matchAll(/^- `(?:clear|insert)`: `([^`]+)`/gm)];
      expect(functions, orm).to.have.length(2);
      const suite = readPage(`test/consumers/orms/test/${orm}.test.ts`).replace(/\s+/g, ' ');
      for (const [, text = ''] of functions) expect(suite).to.include(text.replace(/\s+/g, ' '));
    }
  });
});
