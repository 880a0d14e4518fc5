import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { complaintsAboutPage } from './plain-english.mjs';

const ROOT = path.resolve(__dirname, '../..');

/** The requirements on this page are quotes. */
const QUOTES = 'asvs.md';

const guides = fs.readdirSync(path.join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && name !== QUOTES);
const pages = [
  'README.md',
  'AGENTS.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'client/README.md',
  'example-app/README.md',
].concat(guides.map((name) => `docs/${name}`));

describe('the pages', () => {
  for (const page of pages) {
    it(`${page} is in plain English`, () => {
      const complaints = complaintsAboutPage(fs.readFileSync(path.join(ROOT, page), 'utf8'));
      expect(complaints.join('\n')).to.equal('');
    });
  }
});
