import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
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
  (app) => app.replace('(userStore, { tokens })', "(userStore, { tokens: auth.createTokens({ audience: 'x' }) })"),
  (app) =>
    app.replace(/^app.use\(auth.authErrorHandler.*$/m, '').replace('app.use(', 'app.use(express.json()); app.use('),
];

/** Runs the cases of the page's test over this app, and returns the messages of those that fail. */
async function messagesOf(app: string, folder: string): Promise<string[]> {
  writeSnippet('app.mjs', app, folder);
  const declare = 'export const cases = [];\nconst test = (name, run) => cases.push(run);';
  const text = blockOf(PAGE, 'host.test.mjs').replace("import { test } from 'node:test';", declare);
  const file = writeSnippet('host.test.mjs', text, folder);
  const { cases } = (await import(pathToFileURL(file).href)) as { cases: ((context: object) => unknown)[] };
  const messages: string[] = [];
  for (const run of cases) {
    await Promise.resolve({ skip: () => undefined })
      .then(run)
      .catch((error: unknown) => messages.push(String(error)));
  }
  return messages;
}

describe(PAGE, () => {
  itWithBash('has commands that prove its app', () => {
    const cwd = path.dirname(writeSnippets(PAGE)[0] ?? '');
    const [makeSecret, test] = blocksOf(PAGE).flatMap(({ language, text }) => (language === 'sh' ? [text] : []));
    execFileSync('bash', ['-c', makeSecret ?? ''], { cwd });
    // The secret of .env loses against one of the environment.
    const env = { ...process.env, JWT_SECRET: undefined, NODE_TEST_CONTEXT: undefined };
    const { stdout } = spawnSync('bash', ['-c', test ?? ''], { cwd, env, encoding: 'utf8' });
    expect(stdout).to.match(/^(?:#|ℹ) fail 0$/m);
    expect(Number(/^(?:#|ℹ) pass (\d+)$/m.exec(stdout)?.[1])).to.equal(6);
  });

  rowsOf(PAGE, 'mistake').forEach(([mistake = '', message = ''], index) => {
    it(`has a test that finds the mistake: ${mistake}`, async () => {
      const app = blockOf(PAGE, 'app.mjs');
      const wrong = MISTAKES[index]?.(app) ?? app;
      expect(wrong).not.to.equal(app);
      const messages = await messagesOf(wrong, `AGENTS/${index}`);
      expect(messages.join('\n')).to.include(message.replace(/^`\w+`: /, ''));
    });
  });
});
