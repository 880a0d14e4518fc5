import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { build } from 'esbuild';
import { startApp } from '../../test/example-app/app-process.js';
import { type ApiTool, withApiTool } from '../../test/helpers/api-tools.js';
import { freePort } from '../../test/helpers/ports.js';
import { withBrowser } from '../../test/helpers/browser.js';
import type { Place, World } from './cases/cases.js';
import { serveRedirects } from './cases/redirects.js';

const TITLE = 'keeps its promises, against the example app';
const TIMEOUT_MS = 60_000;

/** Starts the services that the cases call. */
async function startServices(place: Place): Promise<World> {
  const { port } = await startApp();
  return {
    place,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    redirectingUrl: (await serveRedirects()).baseUrl,
    closedUrl: `http://127.0.0.1:${await freePort()}/v1`,
  };
}

/** Returns a script that resolves to the cases that fail. It has the built client, and runs where only JavaScript does. */
async function scriptFor(world: World): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(__dirname, 'cases/cases.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'cases',
  });
  return `${outputFiles[0]?.text}; cases.runCases(${JSON.stringify(world)})`;
}

/** Declares the test of a program that runs a file of JavaScript. */
function itKeepsPromises(place: Place, { file, args }: ApiTool): void {
  it(TITLE, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'client-cases-'));
    try {
      const script = path.join(folder, 'cases.js');
      writeFileSync(
        script,
        `${await scriptFor(await startServices(place))}.then((failures) => console.log(JSON.stringify(failures)));`,
      );
      const { stdout } = await promisify(execFile)(file, [...args, script], { cwd: folder });
      expect(JSON.parse(stdout)).to.deep.equal([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }).timeout(TIMEOUT_MS);
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
    const world = await startServices('Chromium');
    const page = await browser.open({ bypassCSP: true });
    await page.goto(new URL('/healthz', world.baseUrl).href);
    expect(await page.evaluate<string[]>(await scriptFor(world))).to.deep.equal([]);
  }).timeout(TIMEOUT_MS);
});
