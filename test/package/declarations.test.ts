import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';

/** The packages that the declarations of each package import, so that a program needs no other types. */
const IMPORTS = {
  'express-merchant-auth': { folder: 'dist', imports: ['express', 'node', 'rate-limiter-flexible'] },
  'express-merchant-auth-client': { folder: 'client/dist', imports: [] },
  'express-merchant-auth-audit': {
    folder: 'audit/dist',
    imports: ['express-merchant-auth', 'express-merchant-auth/testing', 'node'],
  },
};

function specifiersIn(declarations: string): string[] {
  const { importedFiles, referencedFiles, typeReferenceDirectives } = ts.preProcessFile(declarations);
  return [...importedFiles, ...referencedFiles, ...typeReferenceDirectives].map(({ fileName }) => fileName);
}

for (const [name, { folder, imports }] of Object.entries(IMPORTS)) {
  describe(`the declarations of ${name}`, () => {
    const dist = path.resolve(__dirname, '../..', folder);
    let files: readonly string[];
    let texts: readonly string[];

    before('read them', () => {
      files = readdirSync(dist, { encoding: 'utf8', recursive: true }).filter((file) => /\.d\.m?ts$/.test(file));
      texts = files.map((file) => readFileSync(path.join(dist, file), 'utf8'));
    });

    it(`import ${imports.join(', ') || 'nothing'}`, () => {
      expect(files).to.include('index.d.ts').and.include('index.d.mts');
      const foreign = texts.flatMap(specifiersIn).filter((specifier) => !/^\.{1,2}\//.test(specifier));
      const packages = new Set(foreign.map((specifier) => specifier.replace(/^node:.*/, 'node')));
      expect([...packages].sort()).to.deep.equal(imports);
    });

    it('compile with TypeScript before 5.7, where Uint8Array and Buffer are not generic', () => {
      for (const [index, text] of texts.entries()) expect(text, files[index]).not.to.match(/\b(Uint8Array|Buffer)</);
    });
  });
}
