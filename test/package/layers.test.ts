import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(__dirname, '../..');

/** Maps each file of a small source tree to its imports and to the rules that it breaks. A cycle is reported once. */
const TREE: Readonly<Record<string, readonly [imports: string, broken: string]>> = {
  'index.ts': ['./login/router.js ./testing/index.js', 'testing-is-not-imported'],
  'index.mts': ['./index.js', ''],
  'loose.ts': ['', 'files-in-modules'],
  'unknown/file.ts': ['', 'files-in-modules'],
  'login/router.ts': ['express passport ../bearer/guard.js', 'layer-login package-passport'],
  'login/passport-local.ts': ['passport passport-local passport-jwt', 'package-passport-jwt'],
  'bearer/guard.ts': ['express ../login/passport-local.js ../ownership/check.js', 'layer-bearer'],
  'bearer/merchant.ts': ['node:http ../store/read.js', ''],
  'ownership/check.ts': ['express ../bearer/merchant.js ../tokens/verify.js', 'layer-ownership'],
  'body/read.ts': ['express ../http/answer.js', 'layer-body'],
  'http/answer.ts': ['express ../options/read.js ../tokens/verify.js', 'layer-http'],
  'tokens/verify.ts': ['express ./passport-jwt.js ../passwords/hash.js', 'layer-tokens package-express'],
  'tokens/passport-jwt.ts': ['passport-jwt passport-local', 'package-passport-local'],
  'passwords/hash.ts': ['../store/read.js', 'layer-passwords no-cycle'],
  'store/read.ts': ['../passwords/hash.js ../loose.js', 'layer-store'],
  'throttle/count.ts': ['../store/read.js ./missing.js', 'layer-throttle no-unresolved'],
  'events/emit.ts': ['../errors/auth-error.js ../http/answer.js', 'layer-events'],
  'events/listen.ts': ['../index.js', 'layer-events'],
  'errors/auth-error.ts': ['../options/read.js ../throttle/count.js', 'layer-errors'],
  'options/read.ts': ['../throttle/count.js ../../client/src/index.js', 'layer-options'],
  'testing/index.ts': ['../bearer/guard.js ../unknown/file.js', 'layer-testing'],
  'testing/index.mts': ['./index.js ../options/read.js', 'testing-wrapper'],
  '../client/src/index.ts': ['./login.js ../../src/tokens/passport-jwt.js', 'client-imports-nothing'],
  '../client/src/login.ts': ['node:http', 'client-imports-nothing'],
  '../client/src/session.ts': ['./index.js lru-cache', 'client-imports-nothing'],
};

describe('the rules of .dependency-cruiser.mjs', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'layers-'));

  after('remove the source tree', () => rmSync(folder, { recursive: true }));

  it('reject each file that breaks them, with type-only imports too, and no other file', () => {
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
    for (const [file, [imports]] of Object.entries(TREE)) {
      const target = path.join(folder, 'src', file);
      const lines = imports.split(' ').map((name, index) => `export type { A${index} } from '${name}';\n`);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, imports === '' ? '' : lines.join(''));
    }
    const bin = path.join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const config = path.join(ROOT, '.dependency-cruiser.mjs');
    const args = [bin, '--config', config, '--output-type', 'json', 'src', 'client/src'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect(stderr).to.equal('');
    const { summary } = JSON.parse(stdout) as { summary: { violations: { from: string; rule: { name: string } }[] } };
    for (const [file, [, broken]] of Object.entries(TREE)) {
      const found = summary.violations.filter(({ from }) => from === path.posix.join('src', file));
      const rules = new Set(found.map(({ rule }) => rule.name));
      expect([...rules].sort().join(' '), file).to.equal(broken);
    }
  });
});
