import { expect } from 'chai';
import { PAGES, readPage } from '../helpers/snippets.js';
import { complaintsAboutPage } from './plain-english.mjs';

/** The requirements on this page are quotes. */
const QUOTES = 'docs/asvs.md';

describe('the pages', () => {
  for (const page of ['AGENTS.md', ...PAGES].filter((name) => name !== QUOTES)) {
    it(`${page} is in plain English`, () => {
      expect(complaintsAboutPage(readPage(page)).join('\n')).to.equal('');
    });
  }
});
