import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { readPage } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');

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
    const names = fs.readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => /\.m?ts$/.test(name)).map((name) => path.join(ROOT, 'src', name));
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
