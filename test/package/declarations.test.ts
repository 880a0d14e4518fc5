import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';

const DIST = path.resolve(__dirname, '../../dist');

function specifiersIn(declarations: string): string[] {
  const { importedFiles, referencedFiles, typeReferenceDirectives } = ts.preProcessFile(declarations);
  return [...importedFiles, ...referencedFiles, ...typeReferenceDirectives].map(({ fileName }) => fileName);
}

describe('the declarations', () => {
  let files: readonly string[];
  let texts: readonly string[];

  before('read them', () => {
    files = readdirSync(DIST, { encoding: 'utf8', recursive: true }).filter((file) => /\.d\.m?ts$/.test(file));
    texts = files.map((file) => readFileSync(path.join(DIST, file), 'utf8'));
  });

  it('import no types but those of Node, Express and the limiters, so that a host needs no others', () => {
    expect(files).to.include('index.d.ts').and.include('index.d.mts');
    const specifiers = texts.flatMap(specifiersIn);
    const foreign = specifiers.filter((specifier) => !/^(?:\.{1,2}\/|node:)/.test(specifier));
    expect(new Set(foreign)).to.deep.equal(new Set(['express', 'rate-limiter-flexible']));
  });

  it('compile with TypeScript before 5.7, where Uint8Array and Buffer are not generic', () => {
    for (const [index, text] of texts.entries()) expect(text, files[index]).not.to.match(/\b(Uint8Array|Buffer)</);
  });
});
