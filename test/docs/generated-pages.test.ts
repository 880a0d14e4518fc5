import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';

for (const script of ['options.mjs', 'postman.mjs']) {
  it(`the docs have what ${script} writes`, () => {
    const args = [path.join(__dirname, script), '--check'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([stderr, status]).to.deep.equal(['', 0]);
  });
}
