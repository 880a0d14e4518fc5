import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { blocksOf, complaintsAbout, GUIDES as pages, PAGES, readPage, writeSnippets } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');

/** The languages of blocks that are not a file: commands, and what programs print. */
const PLAIN = ['sh', 'powershell', 'json', 'text', 'console'];

/** Compiled where their packages are installed. The first guide of a consumer is the one that it is about. */
const elsewhere = ['orms', 'nestjs'].map((consumer) => {
  const { guides } = JSON.parse(readPage(`test/consumers/${consumer}/package.json`)) as { guides: string[] };
  return guides[0] ?? '';
});

describe('the guides', () => {
  it('are listed in README.md, each once, with its question', () => {
    const guides = readPage('README.md').split('## Guides\n')[1] ?? '';
    const links = [...guides.matchAll(/\[([^\]]+)\]\(([\w/-]+\.md)\)/g)];
    const listed = links.map(([, text = '', page = '']) => ({ text, page })).filter(({ page }) => page.includes('/'));
    expect(listed.map(({ page }) => page)).to.have.members([
      ...pages,
      'docs/fr/pour-les-marchands.md',
      'example-app/README.md',
    ]);
    for (const { text, page } of listed) {
      const [, title] = /^# (.*)$/m.exec(readPage(page)) ?? [];
      expect(title, page).to.equal(text);
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
});

/** Returns the text of a page without its blocks of code. */
function proseOf(page: string): string {
  return readPage(page).replace(/^ *```[\s\S]*?^ *```$/gm, '');
}

/** Returns the anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    return text.replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '').replaceAll(' ', '-');
  });
}

describe('the links of the pages', () => {
  for (const page of [...PAGES, 'AGENTS.md']) {
    it(`lead from ${page} to files and headings that exist`, () => {
      const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)| src="([^"]+)"/g)];
      const local = targets.map(([, link, source = '']) => link ?? source).filter((target) => !/^[a-z]+:/.test(target));
      const broken = local.filter((target) => {
        const [file = '', anchor] = target.split('#');
        const linked = file === '' ? page : path.join(path.dirname(page), file);
        if (!fs.existsSync(path.join(ROOT, linked))) return true;
        return anchor !== undefined && !anchorsOf(linked).includes(anchor);
      });
      expect(broken).to.deep.equal([]);
    });
  }
});
