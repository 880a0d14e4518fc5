import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { blocksOf, complaintsAbout, readPage, writeSnippets } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');

const pages = fs
  .readdirSync(path.join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);

/** Compiled where their packages are installed. */
const { guides: elsewhere } = JSON.parse(readPage('test/consumers/orms/package.json')) as { guides: string[] };

describe('the guides', () => {
  it('answer one question each', () => {
    for (const page of pages) expect(readPage(page), page).to.match(/^# How do I [^?\n]+\?\n\n(?!.*^# )/s);
  });

  it('are listed in README.md, each with its question', () => {
    const listed = [...readPage('README.md').matchAll(/^- \[([^\]]+)\]\((docs\/[^)]+)\)/gm)].map(([, ...link]) => link);
    const existing = pages.map((page) => [/^# (.*)$/m.exec(readPage(page))?.[1], page]);
    expect(listed).to.have.deep.members(existing);
  });

  it('link only to pages that exist', () => {
    for (const page of pages) {
      for (const [, target = ''] of readPage(page).matchAll(/\]\(([^)#:]+)\)/g)) {
        expect(fs.existsSync(path.join(ROOT, path.dirname(page), target)), `${page}: ${target}`).to.equal(true);
      }
    }
  });

  it('name a file for every block of code', () => {
    for (const page of pages) {
      const unnamed = blocksOf(page).filter(
        ({ language, file }) => file === '' && !['sh', 'json', 'text'].includes(language),
      );
      expect(unnamed, page).to.deep.equal([]);
    }
  });

  it('compile in a strict project', function () {
    this.timeout(60_000);
    const files = pages.filter((page) => !elsewhere.includes(page)).flatMap(writeSnippets);
    expect(files.length).to.be.above(0);
    expect(complaintsAbout(files)).to.deep.equal([]);
  });

  it('are compiled with the packages that they are about, the others', () => {
    expect(pages).to.include.members(elsewhere);
  });
});
