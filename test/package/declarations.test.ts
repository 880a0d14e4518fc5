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
  it('import no types but those of Node, Express and the limiters, so that a host needs no others', () => {
    const files = readdirSync(DIST, { encoding: 'utf8', recursive: true }).filter((file) => /\.d\.m?ts$/.test(file));
    expect(files).to.include('index.d.ts').and.include('index.d.mts');
    const specifiers = files.flatMap((file) => specifiersIn(readFileSync(path.join(DIST, file), 'utf8')));
    const foreign = specifiers.filter((specifier) => !/^(?:\.{1,2}\/|node:)/.test(specifier));
    expect(new Set(foreign)).to.deep.equal(new Set(['express', 'rate-limiter-flexible']));
  });
});
