import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { declareUnavailable } from './unavailable.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The tests only reach loopback, so the browser makes no request by itself. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface TestBrowser {
  /** Opens a page with empty storage. The page is closed after the test. */
  open(options?: BrowserContextOptions): Promise<Page>;
}

/**
 * Runs a suite in headless Chromium: the one of CHROMIUM_PATH, or the first on PATH. Without one the suite is skipped,
 * or fails where it has to run (CI).
 */
export function withBrowser(title: string, suite: (browser: TestBrowser) => void): void {
  const executablePath = findChromium(process.env);
  if (executablePath !== undefined) {
    describe(title, () => {
      suite(launchIn(executablePath));
    });
    return;
  }
  const missing = `${title}: needs Chromium, on PATH or in CHROMIUM_PATH`;
  declareUnavailable(missing, 'There is no Chromium on PATH, and CHROMIUM_PATH is not set.');
}

function launchIn(executablePath: string): TestBrowser {
  let browser: Browser;

  before('start the browser', async () => {
    browser = await chromium.launch({ executablePath, args: ARGS });
  });

  afterEach('close the pages', async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });

  after('end the browser', () => browser.close());

  return {
    async open(options = {}) {
      const context = await browser.newContext(options);
      return context.newPage();
    },
  };
}

/** Returns the faults that axe finds in the page as it is now, and a row if the page is wider than its window. */
export async function faultsIn(page: Page): Promise<readonly string[]> {
  // `page.evaluate` runs outside the content security policy, which would refuse a script element.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`)),
    ...(beyond === 0 ? [] : [`${String(beyond)} pixels beyond the window`]),
  ];
}

function findChromium({ CHROMIUM_PATH = '', PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  if (CHROMIUM_PATH !== '') return isExecutable(CHROMIUM_PATH) ? CHROMIUM_PATH : undefined;
  const candidates = NAMES.flatMap((name) => PATH.split(path.delimiter).map((folder) => path.join(folder, name)));
  return candidates.find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
