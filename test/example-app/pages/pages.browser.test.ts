import path from 'node:path';
import { expect } from 'chai';
import type { BrowserContextOptions, Locator, Page, Request, Response } from 'playwright-core';
import { INVALID_TOKEN } from '../../helpers/answers.js';
import { faultsIn, type TestBrowser, withBrowser } from '../../helpers/browser.js';
import { serve } from '../../helpers/http.js';
import { startApp } from '../app-process.js';
import { serveApp } from '../serve-app.js';

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

const STEPS = ['login', 'create', 'repeat', 'read', 'expire'] as const;

const stepOf = (page: Page, step: (typeof STEPS)[number]) => {
  const section = page.locator(`#${step}`);
  return {
    section,
    button: section.locator('.send'),
    code: section.getByRole('tabpanel').locator('code'),
    answers: section.locator('.answers'),
  };
};

/** Takes the five steps on `/`, and returns the status of each answer. */
async function takeSteps(page: Page): Promise<readonly string[]> {
  for (const step of STEPS) {
    const { button, answers } = stepOf(page, step);
    await button.click();
    await answers
      .locator('pre')
      .nth(step === 'expire' ? 2 : 0)
      .waitFor();
  }
  return page.locator('.answers strong').allTextContents();
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
      expect(await faultsIn(page)).to.deep.equal([]);
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

  it('takes the five steps on /, and shows each request and each answer', async () => {
    const { port } = await startApp();
    const origin = `http://localhost:${port}`;
    const { page, complaints, origins } = await visit(browser, `${origin}/`, {});
    const [login, create, expire] = [stepOf(page, 'login'), stepOf(page, 'create'), stepOf(page, 'expire')];
    expect(await create.button.isDisabled()).to.equal(true);
    expect(await login.code.textContent())
      .to.include(`curl -i ${origin}/v1/login `)
      .and.include('baobab-2026');

    await login.button.click();
    const [created] = await Promise.all([page.waitForResponse('**/v1/transactions'), create.button.click()]);
    const id = (await created.headerValue('x-request-id')) ?? 'none';
    await create.answers.getByText('201 Created').waitFor();
    expect(await create.answers.textContent())
      .to.include(`X-Request-Id: ${id}`)
      .and.include('"amount": 5000');
    expect(await create.code.textContent())
      .to.include('Bearer $TOKEN')
      .and.include('"BTQ-1001"');

    const statuses = ['200 OK', '201 Created', '200 OK', '200 OK', '401 Unauthorized', '200 OK', '200 OK'];
    expect(await takeSteps(page)).to.deep.equal(statuses);
    expect(await expire.answers.textContent())
      .to.include(`"${INVALID_TOKEN}"`)
      .and.include('Transaction found');
    // A failed assertion must not print the token.
    const shown = await page.locator('[role=tabpanel]').allTextContents();
    expect(shown.join().includes('eyJ'), 'a token is shown in code').to.equal(false);
    expect(await kept(page)).to.deep.equal([]);
    expect([...origins]).to.deep.equal([origin]);
    const refusal = 'Failed to load resource: the server responded with a status of 401 (Unauthorized)';
    expect(complaints).to.deep.equal([refusal]);
  });

  it('has no accessibility problem and no horizontal scroll on /, in all widths and in dark colors', async () => {
    const { port } = await startApp();
    const { page } = await visit(browser, `http://localhost:${port}/`, {});
    await takeSteps(page);
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await background()).to.equal('rgb(255, 255, 255)');
    // 320 is a window of 1280 pixels at 400 % zoom.
    for (const width of [1280, 768, 640, 360, 320]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await faultsIn(page), `${width} pixels`).to.deep.equal([]);
    }
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).to.equal('rgb(21, 26, 25)');
    expect(await faultsIn(page), 'dark').to.deep.equal([]);
  });

  it('chooses the language of the code with the arrow keys, and copies the code', async () => {
    const { port } = await startApp();
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, complaints } = await visit(browser, `http://localhost:${port}/`, { permissions });
    const focused = () => page.evaluate('document.activeElement.textContent');
    const { section, code } = stepOf(page, 'login');
    await section.getByRole('tab', { name: 'curl' }).focus();
    for (const [key, language] of [
      ['ArrowRight', 'Node.js'],
      ['End', 'Python'],
      ['ArrowRight', 'curl'],
      ['ArrowLeft', 'Python'],
      ['Home', 'curl'],
      ['ArrowRight', 'Node.js'],
      ['ArrowRight', 'PHP'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused()).to.equal(language);
      // Every step shows the chosen language.
      expect(await page.getByRole('tab', { name: language, selected: true }).count()).to.equal(STEPS.length);
      expect(await page.getByRole('tabpanel', { name: language }).count()).to.equal(STEPS.length);
    }
    await page.getByLabel('Demo account').selectOption('kofi@cantine.example');
    await section.getByRole('tab', { name: 'PHP' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await section.getByRole('status').getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied)
      .to.equal(await code.textContent())
      .and.match(/^<\?php\n[^]*calebasse-2026/);
    expect(complaints).to.deep.equal([]);
  });

  it('shows / in French, and says what to do when the connection is lost', async () => {
    const { port } = await startApp();
    const { page } = await visit(browser, `http://localhost:${port}/`, { locale: 'fr-FR' });
    const { button, answers } = stepOf(page, 'create');
    await page.getByRole('button', { name: 'Se connecter' }).click();
    await page.context().setOffline(true);
    await button.click();
    await answers.getByText('Aucune réponse. Vérifiez votre connexion').waitFor();
    await page.context().setOffline(false);
    await button.click();
    await answers.getByText('201 Created').waitFor();

    await page.getByRole('link', { name: 'English' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
  });

  it('shows no password that a visitor typed', async () => {
    const { app } = serveApp({ demoAccounts: [] });
    const { port } = await serve(app);
    const { page } = await visit(browser, `http://localhost:${port}/`, {});
    await page.getByLabel('Email').fill('kofi@cantine.example');
    await page.getByLabel('Password').fill('calebasse-2026');
    const { code, answers } = stepOf(page, 'login');
    const text = await code.textContent();
    expect(text).to.include('"kofi@cantine.example"').and.include('YOUR_PASSWORD').and.not.include('calebasse');
    await page.keyboard.press('Enter');
    await answers.getByText('200 OK').waitFor();
  });
});
