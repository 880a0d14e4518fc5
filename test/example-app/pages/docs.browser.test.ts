import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { faultsIn, withBrowser } from '../../helpers/browser.js';
import { startApp } from '../app-process.js';

const MAX_BYTES = 550_000;

/** Returns the distance of an element from the top of the page. */
async function topOf(locator: Locator): Promise<number> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('The page does not show the element.');
  return box.y;
}

withBrowser('example-app: /docs in a browser', (browser) => {
  it('shows its text while Swagger UI loads, and loads at most 550 kB', async () => {
    const { port } = await startApp();
    const page = await browser.open({ viewport: { width: 320, height: 800 } });
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    const held: (() => void)[] = [];
    await page.route(/swagger-ui/, (route) => void held.push(() => void route.continue()));
    await page.goto(`http://localhost:${port}/docs`, { waitUntil: 'commit' });
    await page.getByText('GET /v1/transactions/{id}').waitFor();
    // waitForFunction would need eval, which the Content-Security-Policy forbids.
    while ((await page.evaluate('performance.getEntriesByName("first-contentful-paint").length')) === 0);
    expect(await faultsIn(page)).to.deep.equal([]);
    for (const release of held) release();
    await page.unroute(/swagger-ui/);
    await page.locator('.opblock').last().waitFor();
    for (const text of ['Merchant payments', 'awa@boutique.example', 'Find one of your transactions']) {
      expect(await page.getByText(text).count(), text).to.equal(1);
    }
    await page.waitForLoadState('networkidle');
    expect(bytes).to.be.within(100_000, MAX_BYTES);
  });

  it('has no fault that axe finds in all windows and in dark colors, and shows the answer first', async () => {
    const { port } = await startApp();
    const page = await browser.open();
    await page.goto(`http://localhost:${port}/docs`);
    const login = page.locator('#operations-Login-login');
    await login.locator('.opblock-summary-control').click();
    await page.locator('#operations-Transactions-listTransactions .opblock-summary-control').click();
    await login.getByRole('button', { name: 'Execute' }).click();
    const answer = login.locator('.live-responses-table');
    await answer.waitFor();
    for (const width of [1280, 768, 320]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await faultsIn(page), String(width)).to.deep.equal([]);
      const documented = login.locator('.responses-table:not(.live-responses-table)');
      const tops = await Promise.all([answer, login.locator('.curl'), documented].map(topOf));
      expect(tops).to.deep.equal(tops.toSorted((one, other) => one - other));
    }
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.evaluate('document.getAnimations().forEach((animation) => animation.finish())');
    expect(await faultsIn(page), 'dark').to.deep.equal([]);
  });
});
