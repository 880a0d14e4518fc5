import path from 'node:path';
import { expect } from 'chai';
import type { BrowserContextOptions, Locator, Page, Request, Response } from 'playwright-core';
import { type TestBrowser, withBrowser } from '../../helpers/browser.js';
import { startApp } from '../app-process.js';

/** With PICTURES=1 the suite writes the pictures of README.md and docs again. They show the usual port. */
const TAKES_PICTURES = process.env['PICTURES'] === '1';

const DOCS = path.resolve(__dirname, '../../../docs');

const PHONE = { picture: 'try-it-narrow.png', width: 390, height: 844 };

const WINDOWS = TAKES_PICTURES ? [PHONE, { picture: 'try-it.png', width: 1100, height: 900 }] : [PHONE];

/** A page in the browser, with everything that a test must not see in it. */
interface Visit {
  readonly page: Page;
  /** The errors and warnings of the console, with violations of the content security policy, and uncaught errors. */
  readonly complaints: readonly string[];
  /** The origins of all requests. */
  readonly origins: ReadonlySet<string>;
}

async function visit(browser: TestBrowser, url: string, options: BrowserContextOptions): Promise<Visit> {
  const page = await browser.open(options);
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin);
  });
  await page.goto(url);
  return { page, complaints, origins };
}

const operationOf = (page: Page, summary: string) =>
  page.locator('.opblock').filter({ has: page.getByText(summary, { exact: true }) });

/** Opens an operation with a click on its line. */
async function open(page: Page, summary: string): Promise<Locator> {
  const operation = operationOf(page, summary);
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Execute' }).waitFor();
  return operation;
}

/** Clicks on Execute, and returns what was sent and answered when the page shows the status. */
async function execute(page: Page, operation: Locator): Promise<{ request: Request; response: Response }> {
  const [response] = await Promise.all([
    page.waitForEvent('response'),
    operation.getByRole('button', { name: 'Execute' }).click(),
  ]);
  const shown = operation.locator('.live-responses-table tbody .response-col_status');
  await shown.filter({ hasText: String(response.status()) }).waitFor();
  return { request: response.request(), response };
}

/** Returns everything that the page stored in the browser. */
async function kept(page: Page): Promise<readonly unknown[]> {
  const inPage = await page.evaluate(`(async () => [
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    ...(await indexedDB.databases()),
    ...(await caches.keys()),
  ])()`);
  return [...(inPage as unknown[]), ...(await page.context().cookies())];
}

const widthBeyondWindow = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth');

/** Writes the picture of an operation down to its answer, without the command that holds the token. */
async function takePicture(page: Page, operation: Locator, name: string): Promise<void> {
  await page.evaluate(`{
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.curl-command, div:has(> pre > .headerline) { display: none }');
    document.adoptedStyleSheets.push(sheet);
  }`);
  await page.evaluate('scrollTo(0, 0)');
  const [top, end] = [await operation.boundingBox(), await operation.locator('.live-responses-table').boundingBox()];
  if (top === null || end === null) throw new Error('There is nothing to see.');
  const clip = { x: 0, y: top.y - 8, width: page.viewportSize()?.width ?? 0, height: end.y + end.height - top.y + 8 };
  await page.screenshot({ path: path.join(DOCS, name), fullPage: true, clip });
}

withBrowser('example-app: the pages in a browser', (browser) => {
  for (const { picture, ...viewport } of WINDOWS) {
    it(`logs in and creates a transaction with four clicks in a window of ${viewport.width} pixels`, async () => {
      const { port } = await startApp(TAKES_PICTURES ? { PORT: '3000' } : {});
      const origin = `http://localhost:${port}`;
      const { page, complaints, origins } = await visit(browser, `${origin}/docs`, { viewport });

      const login = await execute(page, await open(page, 'Log in'));
      expect(login.request.postDataJSON()).to.deep.equal({ email: 'awa@boutique.example', password: 'baobab-2026' });
      const { authorisation } = (await login.response.json()) as { authorisation: { token: string } };

      const transaction = await open(page, 'Initiate a transaction');
      const created = await execute(page, transaction);
      expect(created.response.status()).to.equal(201);
      // A failed assertion must not print the token.
      const sent = await created.request.headerValue('authorization');
      expect(sent === `Bearer ${authorisation.token}`, 'the token is sent').to.equal(true);
      expect(await transaction.locator('.live-responses-table').textContent()).to.include('Transaction initiated');
      expect(await widthBeyondWindow(page)).to.equal(0);
      if (TAKES_PICTURES) await takePicture(page, transaction, picture);

      const body = transaction.locator('textarea');
      await body.fill((await body.inputValue()).replace('BTQ-1001', 'CNT-1002'));
      expect((await execute(page, transaction)).response.status()).to.equal(403);
      const sentence = 'This refercence_cl is not yours. Send the marchand.referencl of your login.';
      expect(await transaction.locator('.live-responses-table').textContent()).to.include(sentence);
      expect(await kept(page)).to.deep.equal([]);

      expect([...origins]).to.deep.equal([origin]);
      // The browser reports each answer over 399 that a script asked for.
      const refusal = 'Failed to load resource: the server responded with a status of 403 (Forbidden)';
      expect(complaints).to.deep.equal([refusal]);
    });
  }

  it('serves a first page that shows the address of the browser, links to /docs, and has a dark mode', async () => {
    const { port } = await startApp();
    const colorOf = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const colors = { light: 'rgb(255, 255, 255)', dark: 'rgb(21, 26, 25)' };
    for (const colorScheme of ['light', 'dark'] as const) {
      const options = { colorScheme, viewport: { width: 390, height: 844 } };
      const { page, complaints } = await visit(browser, `http://127.0.0.1:${port}/`, options);
      expect(await page.locator('#call').textContent()).to.include(` http://127.0.0.1:${port}/v1/login `);
      expect(await widthBeyondWindow(page)).to.equal(0);
      expect(await colorOf(page)).to.equal(colors[colorScheme]);
      await page.getByRole('link', { name: 'Try it in the browser' }).click();
      await operationOf(page, 'Log in').waitFor();
      expect(await page.locator('html.dark-mode').count()).to.equal(colorScheme === 'dark' ? 1 : 0);
      expect(complaints).to.deep.equal([]);
    }
  });
});
