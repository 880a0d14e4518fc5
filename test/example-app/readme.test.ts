import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { demoAccounts } from '../../example-app/src/demo-accounts.js';
import { createDocument } from '../../example-app/src/openapi/document.js';
import { blocksOf, readPage } from '../helpers/snippets.js';
import { itWithBash } from '../helpers/unavailable.js';
import { outputUntilStop, startApp, stop } from './app-process.js';

const PAGE = 'example-app/README.md';

/** Replaces the parts of the session that differ from one run to the next. */
function normalize(text = ''): string {
  return text
    .replace(/eyJ[\w-]+[\w.-]*/g, '<token>')
    .replace(/"id":"[\da-f-]{36}"/g, '"id":"<id>"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>')
    .replaceAll('\r', '')
    .trim();
}

/** Returns the part of the page below a heading. */
function sectionOf(heading: string): string {
  const section = readPage(PAGE)
    .split(/^## /m)
    .find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${PAGE} has no section "${heading}".`);
  return section;
}

describe(PAGE, () => {
  it('names an image that leaves out each file that usually has a secret', () => {
    const ignored = readPage('example-app/Dockerfile.dockerignore').split('\n');
    expect(ignored).to.include.members(['**/*.env', '**/.env*', '**/*.pem', '**/*.key', '**/keys*.json', '**/.npmrc']);
  });

  it('shows the lines that the app prints at its start', () => {
    const [block] = blocksOf(PAGE).filter(({ language }) => language === 'text');
    expect(outputUntilStop(3000, 'SIGTERM')).to.equal(`${block?.text ?? ''}Stopping because of SIGTERM\n`);
  });

  itWithBash('shows a curl session with the real output, and names the warning about the secret', async () => {
    const app = await startApp({ JWT_SECRET: '' });
    const [session] = blocksOf(PAGE).filter(({ language }) => language === 'console');
    const steps = (session?.text ?? '').replaceAll('localhost:3000', `localhost:${app.port}`).split(/^\$ /m).slice(1);
    const commands = steps.map((step) => step.split('\n', 1)[0]);
    const script = commands.map((command) => `printf '\\0'; ${command}`).join('\n');
    const printed = execFileSync('bash', ['-c', script]).toString();
    const expected = steps.map((step) => step.slice(step.indexOf('\n')));
    expect(printed.split('\0').slice(1).map(normalize)).to.deep.equal(expected.map(normalize));
    expect(printed).to.include('eyJ');
    const warning = 'JWT_SECRET is not set: the tokens are signed with a random secret and end with this process.\n';
    expect((await stop(app)).stderr).to.equal(warning);
  });

  it('names every demo account with its password and its reference', () => {
    const rows = demoAccounts.map(({ email, password, marchand: { referencl }, disabled }) => {
      return `- \`${email}\` (\`${password}\`) has the reference \`${referencl}\`${disabled ? ' and is disabled' : ''}.`;
    });
    const listed = sectionOf('Demo accounts')
      .split('\n')
      .filter((line) => line.startsWith('- '));
    expect(listed).to.deep.equal(rows);
  });

  it('names every environment variable that the app reads', () => {
    const read = new Set(
      [...readPage('example-app/src/settings.ts').matchAll(/\b([A-Z_]{4,}) = ''/g)].map(([, name]) => name),
    );
    expect(read).to.have.property('size').above(8);
    const listed = [...sectionOf('Environment variables').matchAll(/^- `([A-Z_]+)`: /gm)].map(([, name]) => name);
    expect(listed).to.have.members([...read]);
  });

  it('names every route of the API description, the pages and the metrics, and no other', () => {
    const { paths } = createDocument([]);
    const served = Object.entries(paths).flatMap(([route, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${route.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    const listed = [...sectionOf('Routes').matchAll(/`([A-Z]+ \/[\w/.:-]*)`/g)].map(([, route]) => route);
    expect(listed).to.have.members([
      ...served,
      'GET /',
      'GET /docs',
      'GET /openapi.json',
      'GET /postman.json',
      'GET /metrics',
    ]);
  });
});
