import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { withApiTool } from '../helpers/api-tools.js';
import { complaintsAbout, writeSnippet } from '../helpers/snippets.js';
import { DOCUMENTS } from './host-document.js';
import { runTool, writeDocument } from './run-tool.js';

describe('the names of the components', () => {
  for (const [title, read] of DOCUMENTS) {
    // From the id `login`, generators make Login500, LoginRequest, LoginError and others, in any case of the letters.
    it(`begin with no operationId in ${title}`, async () => {
      const { paths, components } = await read();
      const operations = Object.values(paths).flatMap((item) => Object.values(item));
      const ids = operations.map(({ operationId }) => operationId.toLowerCase());
      const names = Object.values(components).flatMap((members) => Object.keys(members as object));
      expect(names).to.include('AuthError');
      expect(ids).to.include('login');
      expect(names.filter((name) => ids.some((id) => name.toLowerCase().startsWith(id)))).to.deep.equal([]);
    });
  }
});

withApiTool('orval', 'orval', (orval) => {
  for (const [title, read] of DOCUMENTS) {
    it(`makes a client that compiles from ${title}`, async () => {
      const file = writeDocument(await read());
      const client = path.join(path.dirname(file), 'client.ts');
      await runTool(orval, ['--input', file, '--output', client, '--client', 'fetch'], file);
      const copy = writeSnippet('client.ts', readFileSync(client, 'utf8'), 'openapi.md');
      expect(complaintsAbout([copy])).to.deep.equal([]);
    });
  }
});
