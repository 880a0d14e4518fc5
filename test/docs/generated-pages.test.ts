import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';

describe('the generated blocks of the pages', () => {
  it('have the types, the docstrings and the catalogue of src', () => {
    const script = path.join(__dirname, 'generated-pages.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect([stderr, status]).to.deep.equal(['', 0]);
  });
});
