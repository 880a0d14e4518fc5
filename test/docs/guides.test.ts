import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { ApiError } from '../../example-app/src/errors/api-error.js';
import { type AuthErrorCode, catalogue, entryOf, REFERENCE_FIELD } from '../../src/errors/catalogue.js';
import type { Operation } from '../../src/errors/catalogue-entry.js';
import { INVALID_BODY, LOST_BODY, TOO_BUSY } from '../helpers/answers.js';
import { EVENT_MEMBERS } from '../helpers/events.js';
import { blocksOf, complaintsAbout, GUIDES, PAGES, readPage, writeSnippets } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');

/** The languages of blocks that are not a file: commands, and what programs print. */
const PLAIN = ['sh', 'powershell', 'json', 'text', 'console', 'diff'];

/** Compiled in the consumer `nestjs`, where its packages are installed. */
const ELSEWHERE = 'docs/nestjs.md';

describe('the guides', () => {
  it('are listed in README.md, each once, with its question', () => {
    const guides = readPage('README.md').split('## Guides\n')[1] ?? '';
    const links = [...guides.matchAll(/\[([^\]]+)\]\(([\w/-]+\.md)\)/g)];
    const listed = links.map(([, text = '', page = '']) => ({ text, page })).filter(({ page }) => page.includes('/'));
    expect(listed.map(({ page }) => page)).to.have.members([
      ...GUIDES,
      'docs/fr/pour-les-marchands.md',
      'example-app/README.md',
    ]);
    for (const { text, page } of listed) {
      const [, title] = /^# (.*)$/m.exec(readPage(page)) ?? [];
      expect(title, page).to.equal(text);
    }
  });

  it('name the file of every block of code on its first line, because renderers hide what follows the language', () => {
    for (const page of GUIDES) {
      const fences = readPage(page).match(/^```\w.*$/gm) ?? [];
      for (const fence of fences) expect(fence, page).to.match(/^```\w+$/);
      const unnamed = blocksOf(page).filter(({ language, file }) => file === '' && !PLAIN.includes(language));
      expect(unnamed, page).to.deep.equal([]);
    }
  });

  it('compile in a strict project', () => {
    const compiled = ['client/README.md', ...GUIDES.filter((page) => page !== ELSEWHERE)];
    // Its page compiles it alone, because a global type would hold for all pages.
    const files = compiled.flatMap(writeSnippets).filter((file) => !file.endsWith('express-user.ts'));
    expect(files.length).to.be.above(0);
    expect(complaintsAbout(files)).to.deep.equal([]);
  });
});

/** The codes of the example app that pages name with a status. */
const OF_THE_EXAMPLE = [
  'invalid_query',
  'transaction_conflict',
  'too_many_requests',
  'not_ready',
  'transactions_unavailable',
] as const;

describe('the codes on the pages and their diagrams', () => {
  const statuses = new Map<string, number>(Object.entries(catalogue).map(([code, { status }]) => [code, status]));
  for (const code of OF_THE_EXAMPLE) statuses.set(code, new ApiError(code).status);
  const lastWord = (code: string) => code.split('_').at(-1);
  const lastWords = new Set(Object.keys(catalogue).map(lastWord));
  const diagrams = fs.readdirSync(path.join(ROOT, 'docs')).filter((name) => name.endsWith('.svg'));

  const pages = PAGES.filter((page) => page !== 'CHANGELOG.md');
  for (const page of [...pages, 'AGENTS.md', ...diagrams.map((name) => `docs/${name}`)]) {
    it(`are codes of the catalogue in ${page}, with their status`, () => {
      // A status before a code, or a quoted word that ends as a code does.
      const named = readPage(page).matchAll(/(?:\b([45]\d\d) `?|[`'"])([a-z]+(?:_[a-z]+)+)\b/g);
      const wrong = [...named].filter(([, status, word = '']) => {
        const known = statuses.get(word);
        if (status === undefined) return known === undefined && lastWords.has(lastWord(word));
        return known !== Number(status);
      });
      expect(wrong.map(([text]) => text)).to.deep.equal([]);
    });
  }
});

/** The other words of the docstrings with the form of a code: a parameter, a claim and the reason of a login. */
const NO_CODES = [REFERENCE_FIELD, 'error_description', 'valid_after', 'unknown_email'];

describe('the codes in the docstrings', () => {
  const known = new Set([...Object.keys(catalogue), ...Object.keys(EVENT_MEMBERS), ...NO_CODES]);

  for (const folder of ['src', 'client/src', 'audit/src']) {
    it(`are codes of the catalogue or types of events in ${folder}`, () => {
      const files = fs.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
      const stale = files
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) => {
          const comments = readPage(path.join(folder, file)).match(/\/\*\*[^]*?\*\/|\/\/.*/g) ?? [];
          const words = comments.join('\n').matchAll(/`([a-z]+(?:_[a-z]+)+)`/g);
          return [...words].flatMap(([, word = '']) => (known.has(word) ? [] : [`${file}: ${word}`]));
        });
      expect(stale).to.deep.equal([]);
    });
  }
});

/** Returns the codes of an operation whose type of event, which some codes do not have, fits. */
function codesOf(operation: Operation, fits: (event?: string) => boolean): readonly AuthErrorCode[] {
  const codes = Object.keys(catalogue) as AuthErrorCode[];
  return codes.filter((code) => {
    const { operations, event } = entryOf(code);
    return operations.includes(operation) && fits(event);
  });
}

describe('the codes that a function can throw', () => {
  const isOfReferences = (event?: string) => event === 'ownership_refused';
  const attempt = codesOf('Login', (event) => !isOfReferences(event));
  const authenticate = codesOf('Request', (event) => event !== undefined && !isOfReferences(event));
  // The refusal of a body is not reported.
  const ownReference = [INVALID_BODY, ...codesOf('Request', isOfReferences)];

  const docstrings: readonly (readonly [file: string, name: string, codes: readonly string[]])[] = [
    ['login/login.ts', 'async attempt(', attempt],
    ['guard/guard.ts', 'async authenticate(', authenticate],
    ['ownership/require-own-reference.ts', 'export function requireOwnReference(', ownReference],
  ];
  for (const [file, name, codes] of docstrings) {
    it(`are all in its docstring in ${file}`, () => {
      const docstring = readPage(`src/${file}`).split(name)[0]?.split('/**').at(-1) ?? '';
      const words = [...docstring.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
      expect(words.filter((word) => Object.hasOwn(catalogue, word))).to.have.members(codes);
    });
  }

  // The diagrams leave out a mistake of the host.
  const guard = [...authenticate, ...ownReference].filter((code) => code !== LOST_BODY);
  for (const [diagram, codes] of Object.entries({ login: attempt, guard, queue: [TOO_BUSY] })) {
    it(`are all in docs/${diagram}.svg`, () => {
      const refusals = [...readPage(`docs/${diagram}.svg`).matchAll(/class="refusal"[^>]*>\d+ (\w+)</g)];
      expect([...new Set(refusals.map(([, code]) => code))]).to.have.members(codes);
    });
  }
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
