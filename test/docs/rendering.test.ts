import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import express from 'express';
import GitHubSlugger from 'github-slugger';
import MarkdownIt from 'markdown-it';
import { withBrowser } from '../helpers/browser.js';
import { serve } from '../helpers/http.js';
import { PAGES, readPage } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');
const STYLES = require.resolve('github-markdown-css');

/** A folder for the pictures of all pages. Without it none are written. */
const { PAGES: PICTURES = '' } = process.env;

const LIGHT = { colorScheme: 'light', background: 'rgb(255, 255, 255)' } as const;
const DARK = { colorScheme: 'dark', background: 'rgb(13, 17, 23)' } as const;

/** The width of GitHub's column for pages on a desktop, and the width of a telephone. */
const WINDOWS = [
  { name: 'wide-light', width: 1012, ...LIGHT },
  { name: 'wide-dark', width: 1012, ...DARK },
  { name: 'narrow-light', width: 390, ...LIGHT },
  { name: 'narrow-dark', width: 390, ...DARK },
];

const CHECKBOX = '<input type="checkbox" class="task-list-item-checkbox" disabled>';

/** Renders a page by GitHub's rules: CommonMark, tables, bare links, task lists, and an anchor for each heading. */
function render(page: string): string {
  const markdown = new MarkdownIt({ html: true, linkify: true });
  // GitHub links addresses that begin with a scheme. It does not link README.md, although "md" is a country.
  markdown.linkify.set({ fuzzyLink: false });
  const slugger = new GitHubSlugger();
  markdown.renderer.rules['heading_open'] = (tokens, index, options, _env, self) => {
    const text = (tokens[index + 1]?.children ?? []).map(({ content }) => content).join('');
    tokens[index]?.attrSet('id', slugger.slug(text));
    return self.renderToken(tokens, index, options);
  };
  const content = markdown
    .render(readPage(page))
    .replace(/<li>(\n<p>)?\[ \] /g, `<li class="task-list-item">$1${CHECKBOX} `);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${page}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/github-markdown.css">
<style>body { margin: 0 } .markdown-body { box-sizing: border-box; padding: 32px } @media (max-width: 767px) { .markdown-body { padding: 16px } }</style>
<body class="markdown-body">${content}</body>
</html>`;
}

/** Serves each page as HTML, and the other files of this repository. */
function servePages() {
  const app = express();
  app.get('/github-markdown.css', (_req, res) => res.sendFile(STYLES));
  for (const page of PAGES) app.get(`/${page}`, (_req, res) => void res.type('html').send(render(page)));
  app.use(express.static(ROOT));
  return serve(app);
}

function idsOf(page: string): string[] {
  return [...render(page).matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
}

/** The layout of a page in the browser. */
interface Layout {
  /** The width of the content beyond the window, in pixels. */
  readonly overflow: number;
  /** The addresses of the images that did not load. */
  readonly broken: readonly string[];
  readonly background: string;
}

const READ_LAYOUT = `({
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  broken: [...document.images].filter((image) => image.naturalWidth === 0).map((image) => image.src),
  background: getComputedStyle(document.body).backgroundColor,
})`;

withBrowser('the pages on GitHub', (browser) => {
  it('fit into a wide and a narrow window, in light and dark colors, with all images', async () => {
    const { port } = await servePages();
    const tab = await browser.open();
    const problems: unknown[] = [];
    tab.on('console', (message) => {
      if (message.type() === 'error') problems.push({ at: tab.url(), error: message.text() });
    });
    tab.on('pageerror', ({ message }) => problems.push({ at: tab.url(), error: message }));
    for (const page of PAGES) {
      await tab.goto(`http://localhost:${port}/${page}`);
      for (const { name, width, colorScheme, background } of WINDOWS) {
        await tab.setViewportSize({ width, height: 900 });
        await tab.emulateMedia({ colorScheme });
        if (PICTURES !== '') {
          const file = path.join(PICTURES, `${page.replaceAll('/', '-')}.${name}.png`);
          await tab.screenshot({ path: file, fullPage: true });
        }
        const layout = await tab.evaluate<Layout>(READ_LAYOUT);
        const isGood = layout.overflow === 0 && layout.broken.length === 0 && layout.background === background;
        if (!isGood) problems.push({ page, window: name, ...layout });
      }
    }
    expect(problems).to.deep.equal([]);
  });
});

describe('the links of the pages', () => {
  for (const page of PAGES) {
    it(`lead from ${page} to files and headings that exist`, () => {
      const targets = [...render(page).matchAll(/ (?:href|src)="([^"]*)"/g)]
        .map(([, target = '']) => decodeURI(target))
        .filter((target) => !/^(?:[a-z]+:|\/github-markdown)/.test(target));
      const broken = targets.filter((target) => {
        const [file = '', anchor] = target.split('#');
        const linked = file === '' ? page : path.join(path.dirname(page), file);
        if (!fs.existsSync(path.join(ROOT, linked))) return true;
        return anchor !== undefined && (!linked.endsWith('.md') || !idsOf(linked).includes(anchor));
      });
      expect(broken).to.deep.equal([]);
    });
  }
});
