import { execFile, execFileSync, execSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { serve } from '../helpers/http.js';
import {
  blockOf,
  blocksOf,
  complaintsAbout,
  loadApp,
  readPage,
  writeSnippet,
  writeSnippets,
} from '../helpers/snippets.js';
import { itWithBash } from '../helpers/unavailable.js';

const PAGE = 'README.md';

/** Replaces tokens, because each login returns another one. */
function hideTokens(text: string): string {
  return text.replace(/eyJ[\w-]+[\w.-]*/g, '<token>');
}

describe(PAGE, () => {
  before(() => {
    expect(complaintsAbout(writeSnippets(PAGE))).to.deep.equal([]);
  });

  it('shows scripts of package.json, and the tarball of its version', () => {
    const { scripts, version } = JSON.parse(readPage('package.json')) as { scripts: object; version: string };
    const commands = blocksOf(PAGE).filter(({ language }) => language === 'sh');
    expect(scripts).to.include.keys('start', 'test');
    expect(commands.map(({ text }) => text).join('')).to.include(`express-merchant-auth-${version}.tgz`);
  });

  it('shows a command that makes a file with a secret, in any shell', () => {
    const [, command = ''] = /^(node -e "[^"$`!\\]*") #/m.exec(readPage(PAGE)) ?? [];
    const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'readme-'));
    try {
      execSync(command, { cwd });
      const print = ['--env-file=.env', '--print', 'process.env.JWT_SECRET'];
      expect(readPage(PAGE)).to.include(`\nnode ${print[0]} shortest-host.mjs\n`);
      // A variable of the environment would win.
      const env = { ...process.env };
      delete env['JWT_SECRET'];
      const printed = execFileSync(process.execPath, print, { cwd, env, encoding: 'utf8' });
      expect(printed).to.match(/^[\w-]{86}\n$/);
    } finally {
      fs.rmSync(cwd, { recursive: true });
    }
  });

  it('shows a host that fails with the error when its port is in use', async () => {
    // At all addresses, as the host.
    const busy = createServer().listen(0);
    await once(busy, 'listening');
    const { port } = busy.address() as AddressInfo;
    const host = blockOf(PAGE, 'shortest-host.mjs');
    const script = writeSnippet('busy-port.mjs', host.replaceAll('3000', String(port)));
    const env = { ...process.env, JWT_SECRET: 'the secret of the page, of 32 bytes or more' };
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
      env,
      encoding: 'utf8',
      timeout: 20_000,
    });
    busy.close();
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
    expect(stderr).to.include('EADDRINUSE');
  });

  itWithBash('shows a session of curl with the real output of the shortest host', async () => {
    const { port } = await serve(await loadApp('shortest-host.mjs'));
    const sessions = blocksOf(PAGE).filter(({ language }) => language === 'console');
    expect(sessions).to.have.length(1);
    const [, command = '', shown = ''] = /^\$ ([\s\S]*?)\n(\{[\s\S]*)$/.exec(sessions[0]?.text ?? '') ?? [];
    const script = command.replaceAll('localhost:3000', `127.0.0.1:${port}`);
    const { stdout } = await promisify(execFile)('bash', ['-c', script]);
    expect(stdout).to.include('eyJ');
    // README.md wraps the line.
    expect(hideTokens(stdout)).to.equal(hideTokens(shown.replace(/\n */g, '')));
  });

  it('shows the types of the package: a store of one is a store of the other', () => {
    const file = writeSnippet(
      'same-types.ts',
      `import type * as real from 'express-merchant-auth';
       import type * as shown from './user-store';
       type Mutable<Value> = Value extends (...values: never) => unknown ? Value
         : Value extends Date ? Date
         : { -readonly [Key in keyof Value]: Mutable<Value[Key]> };
       type Exact<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
       export const isSameAccount: Exact<Mutable<real.MerchantAccount>, Mutable<shown.MerchantAccount>> = true;
       export const isSameStore: Exact<keyof real.UserStore, keyof shown.UserStore> = true;
       export const fromReal = (store: real.UserStore): shown.UserStore => store;
       export const fromShown = (store: shown.UserStore): real.UserStore => store;
       type Optional<Type> = { [Key in keyof Type]-?: object extends Pick<Type, Key> ? Key : never }[keyof Type];
       export const isAsOptional: Exact<Optional<real.UserStore>, Optional<shown.UserStore>> = true;`,
    );
    expect(complaintsAbout([file])).to.deep.equal([]);
  });
});
