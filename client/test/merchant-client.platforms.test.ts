import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import * as client from '../src/index.js';
import { startApp } from '../../test/example-app/app-process.js';
import { serveApp } from '../../test/example-app/serve-app.js';
import { withApiTool } from '../../test/helpers/api-tools.js';
import { withBrowser } from '../../test/helpers/browser.js';
import { documentOf } from '../../test/openapi/host-document.js';
import { startMock } from '../../test/openapi/prism.js';
import { startServices } from './cases/addresses.js';
import { bundleCases } from './cases/bundle.js';
import { casesFor, type Place } from './cases/cases.js';
import type { CaseResult } from './cases/run-cases.js';

/** Expects each case of the place to have run, and to have no failure. */
function expectKept(place: Place, results: readonly CaseResult[]): void {
  expect(results).to.deep.equal(casesFor(place).map(({ name }) => ({ name })));
}

describe('The client on Node.js, against the example app', () => {
  for (const { name, run } of casesFor('Node.js')) {
    it(name, async () => {
      await run({ client, ...(await startServices(serveApp)) });
    });
  }
});

withApiTool("The client against Prism's mock of the document", 'prism', (prism) => {
  let baseUrl: string;
  before('start the mock', async () => {
    const { port } = await startMock(prism, await documentOf((await serveApp()).client));
    baseUrl = `http://127.0.0.1:${port}/v1`;
  });

  for (const { name, run } of casesFor("Prism's mock")) {
    it(name, () => run({ client, baseUrl, redirectingUrl: '' }));
  }
});

withBrowser('The client in Chromium', (browser) => {
  it('keeps the same promises, on a page of the origin of the example app', async () => {
    const addresses = await startServices(startApp);
    // The policy of the app's pages allows only its own scripts and requests.
    const page = await browser.open({ bypassCSP: true });
    await page.goto(new URL('/healthz', addresses.baseUrl).href);
    const call = `cases.runCases('Chromium', ${JSON.stringify(addresses)})`;
    expectKept('Chromium', await page.evaluate<CaseResult[]>(`${await bundleCases()}; ${call}`));
  }).timeout(60_000);
});

const RUNTIMES = [
  { place: 'Deno', name: 'deno', args: ['run', '--quiet', '--no-config', '--allow-net=127.0.0.1'] },
  { place: 'Bun', name: 'bun', args: ['run'] },
] as const;

for (const { place, name, args } of RUNTIMES) {
  withApiTool(`The client on ${place}`, name, (tool) => {
    let folder: string;
    before(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'client-cases-'));
    });
    after(() => rmSync(folder, { recursive: true }));

    it('keeps the same promises, against the example app', async () => {
      const script = path.join(folder, 'cases.js');
      const call = `cases.runCases('${place}', ${JSON.stringify(await startServices(startApp))})`;
      writeFileSync(script, `${await bundleCases()}; ${call}.then((results) => console.log(JSON.stringify(results)));`);
      const { stdout } = await promisify(execFile)(tool.file, [...tool.args, ...args, script], { cwd: folder });
      expectKept(place, JSON.parse(stdout) as CaseResult[]);
    }).timeout(60_000);
  });
}
