import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';
import { blockOf, blocksOf, rowsOf, writeSnippet, writeSnippets } from '../helpers/snippets.js';
import { itWithBash } from '../helpers/unavailable.js';

const PAGE = 'AGENTS.md';

const GUARD = "app.use('/v1', auth.requireBearer({ userStore, tokens }));";

/** Puts each mistake of the page into its app, in the order of the table. */
const MISTAKES: readonly ((app: string) => string)[] = [
  (app) => app.replace(GUARD, `app.get('/v1/balance', (req, res) => res.end()); ${GUARD}`),
  (app) => app.replace('app.use(auth.authErrorHandler())', "app.get('/v1/:refercence_cl', (req, res) => res.end())"),
  (app) => app.replace('rows.filter(isOwn(req)).find', 'rows.find'),
  (app) =>
    app
      .replace('app.post(', `app.get('/v1/list', (req, res) => res.json(rows));\napp.post(`)
      .replace('  res.status(201)', '  rows.push(auth.merchantOf(req).referencl); res.status(201)'),
  (app) => app.replace('app.post(', "app.get('/v1/payments/:id', (req, res) => res.json({})); app.post("),
  (app) => app.replace('app.post(', "app.use('/v1', express.json({ verify() {} }));\napp.post("),
  (app) => app.replace('(userStore, { tokens })', "(userStore, { tokens: auth.createTokens({ audience: 'x' }) })"),
  (app) =>
    app.replace(/^app.use\(auth.authErrorHandler.*$/m, '').replace('app.use(', 'app.use(express.json()); app.use('),
];

describe(PAGE, () => {
  let folder: string;

  beforeEach('write its files', () => {
    folder = path.dirname(writeSnippets(PAGE)[0] ?? '');
  });

  /** Runs the last command of the page, and returns its output. */
  function prove(): string {
    const [makeSecret, test] = blocksOf(PAGE).flatMap(({ language, text }) => (language === 'sh' ? [text] : []));
    execFileSync('bash', ['-c', makeSecret ?? ''], { cwd: folder });
    // The secret of .env loses against one of the environment.
    const env = { ...process.env, JWT_SECRET: undefined, NODE_TEST_CONTEXT: undefined };
    return spawnSync('bash', ['-c', test ?? ''], { cwd: folder, env, encoding: 'utf8' }).stdout;
  }

  itWithBash('has commands that prove its app', () => {
    const output = prove();
    expect(output).to.match(/^(?:#|ℹ) fail 0$/m);
    expect(Number(/^(?:#|ℹ) pass (\d+)$/m.exec(output)?.[1])).to.be.above(20);
  });

  rowsOf(PAGE, 'mistake').forEach(([mistake = '', message = ''], index) => {
    itWithBash(`has a command that finds the mistake: ${mistake}`, () => {
      const app = blockOf(PAGE, 'app.mjs');
      const wrong = MISTAKES[index]?.(app) ?? app;
      expect(wrong).not.to.equal(app);
      writeSnippet('app.mjs', wrong, PAGE);
      expect(prove()).to.include(message.replace(/^`\w+`: /, ''));
    });
  });
});
