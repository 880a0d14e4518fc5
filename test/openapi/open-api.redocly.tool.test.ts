import { expect } from 'chai';
import { withApiTool } from '../helpers/api-tools.js';
import { DOCUMENTS } from './host-document.js';
import { runTool, writeDocument } from './run-tool.js';

withApiTool('Redocly, with its recommended rules', 'redocly', (redocly) => {
  for (const [title, read] of DOCUMENTS) {
    it(`finds nothing in ${title}`, async () => {
      const file = writeDocument(await read());
      const args = ['lint', '--extends', 'recommended', '--format', 'json', file];
      expect(JSON.parse(await runTool(redocly, args, file)) as object).to.have.deep.property('problems', []);
    });
  }
});
