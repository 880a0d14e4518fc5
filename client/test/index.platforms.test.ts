import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type ApiTool, withApiTool } from '../../test/helpers/api-tools.js';
import { withBrowser } from '../../test/helpers/browser.js';
import { startServices } from './cases/addresses.js';
import { bundleCases } from './cases/bundle.js';
import { casesFor, type Place } from './cases/cases.js';
import type { CaseResult } from './cases/run-cases.js';

const TITLE = 'keeps its promises, against the example app';

/** Expects each case of the place to have run, and to have no failure. */
function expectKept(place: Place, results: readonly CaseResult[]): void {
  expect(results).to.deep.equal(casesFor(place).map(({ name }) => ({ name })));
}

/** Declares the test of a program that runs a file of JavaScript. */
function itKeepsPromises(place: Place, { file, args }: ApiTool): void {
  it(TITLE, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'client-cases-'));
    try {
      const script = path.join(folder, 'cases.js');
      const call = `cases.runCases('${place}', ${JSON.stringify(await startServices())})`;
      writeFileSync(script, `${await bundleCases()}; ${call}.then((results) => console.log(JSON.stringify(results)));`);
      const { stdout } = await promisify(execFile)(file, [...args, script], { cwd: folder });
      expectKept(place, JSON.parse(stdout) as CaseResult[]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }).timeout(60_000);
}

describe('The client on Node.js', () => itKeepsPromises('Node.js', { file: process.execPath, args: [] }));

withApiTool('The client on Deno', 'deno', ({ file, args }) => {
  itKeepsPromises('Deno', { file, args: [...args, 'run', '--quiet', '--no-config', '--allow-net=127.0.0.1'] });
});

withApiTool('The client on Bun', 'bun', ({ file, args }) => {
  itKeepsPromises('Bun', { file, args: [...args, 'run'] });
});

withBrowser('The client in Chromium', (browser) => {
  // On a page of the origin of the example app, whose policy allows only the app's own scripts and requests.
  it(TITLE, async () => {
    const addresses = await startServices();
    const page = await browser.open({ bypassCSP: true });
    await page.goto(new URL('/healthz', addresses.baseUrl).href);
    const call = `cases.runCases('Chromium', ${JSON.stringify(addresses)})`;
    expectKept('Chromium', await page.evaluate<CaseResult[]>(`${await bundleCases()}; ${call}`));
  }).timeout(60_000);
});
