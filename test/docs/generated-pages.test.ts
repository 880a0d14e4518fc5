import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';

describe('docs/options.md and docs/events.md', () => {
  it('have the types and docstrings of src', () => {
    const script = path.join(__dirname, 'generated-pages.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect([stderr, status]).to.deep.equal(['', 0]);
  });
});
