import { expect } from 'chai';
import { serveApp } from '../example-app/serve-app.js';
import { withApiTool } from '../helpers/api-tools.js';
import { documentOf, hostDocument } from './host-document.js';
import { runTool, writeDocument } from './run-tool.js';

withApiTool('Redocly, with its recommended rules', 'redocly', (redocly) => {
  for (const [title, read] of [
    ['a document that spreads the fragments', () => hostDocument()],
    ['the document of the example app', async () => documentOf((await serveApp()).client)],
  ] as const) {
    it(`finds nothing in ${title}`, async () => {
      const file = writeDocument(await read());
      const args = ['lint', '--extends', 'recommended', '--format', 'json', file];
      expect(JSON.parse(await runTool(redocly, args, file)) as object).to.have.deep.property('problems', []);
    });
  }
});
