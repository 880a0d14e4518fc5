import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { readPage } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');

/** Returns the paths of the files in a folder whose names end so. */
function filesIn(folder: string, end: string): string[] {
  const files = fs.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith(end)).map((file) => path.join(ROOT, folder, file));
}

describe('the cryptography that SECURITY.md names', () => {
  const CRYPTOGRAPHY = ['@node-rs/argon2', '@node-rs/bcrypt', 'jsonwebtoken', 'node:crypto'];
  const OTHERS = [
    'content-type',
    'express',
    'ipaddr.js',
    'lru-cache',
    'passport',
    'passport-jwt',
    'passport-local',
    'rate-limiter-flexible',
  ];

  it('is all that the sources use (ASVS 11.2.1, 11.5.1)', () => {
    const files = [...filesIn('src', '.ts'), ...filesIn('src', '.mts')];
    const sources = files.map((file) => fs.readFileSync(file, 'utf8'));
    const imported = sources.flatMap((text) =>
      [...text.matchAll(/\b(?:from |import\()'([^.'][^']*)'/g)].map(([, name]) => name),
    );
    const modules = new Set(imported.filter((name) => name === 'node:crypto' || name?.startsWith('node:') === false));
    expect([...modules]).to.have.members([...CRYPTOGRAPHY, ...OTHERS]);
    for (const text of sources) expect(text).not.to.match(/\b(md5|sha1)\b|\beval\(|\bnew Function\(/);
    const guessable = files.filter((_, index) => sources[index]?.includes('Math.random'));
    // The seconds of Retry-After need not be secret.
    expect(guessable).to.deep.equal([path.join(ROOT, 'src/errors/catalogue.ts')]);
    const [section = ''] = /^## Cryptography\n[\s\S]*?(?=^## )/m.exec(readPage('SECURITY.md')) ?? [];
    for (const name of CRYPTOGRAPHY) expect(section.toLowerCase()).to.include(name);
  });
});
