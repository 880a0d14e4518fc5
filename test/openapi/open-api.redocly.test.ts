import { expect } from 'chai';
import { openApi } from '../../src/openapi/index.js';
import { serveApp } from '../example-app/serve-app.js';
import { withApiTool } from '../helpers/api-tools.js';
import { documentOf, hostDocument } from './host-document.js';
import { runTool, writeDocument } from './run-tool.js';

interface Report {
  readonly problems: readonly { readonly ruleId: string; readonly severity: string; readonly message: string }[];
}

withApiTool('Redocly, with its recommended rules', 'redocly', (redocly) => {
  async function problemsIn(document: object): Promise<string[]> {
    const file = writeDocument(document);
    const args = ['lint', '--extends', 'recommended', '--format', 'json', file];
    const { problems } = JSON.parse(await runTool(redocly, args, file)) as Report;
    return problems.map(({ ruleId, severity, message }) => `${severity} ${ruleId}: ${message}`);
  }

  it('finds nothing in a document that spreads the fragments', async () => {
    expect(await problemsIn(hostDocument())).to.deep.equal([]);
  });

  it('finds nothing in the document of the example app', async () => {
    const { client } = await serveApp();
    expect(await problemsIn(await documentOf(client))).to.deep.equal([]);
  });

  it('in the fragments alone, misses only the parts that a host adds', async () => {
    const problems = await problemsIn(openApi());
    const unused =
      /^warn no-unused-components: (Component: "Guarded\d+"|Security scheme: "merchantToken") is never used\.$/;
    expect(problems.filter((problem) => !unused.test(problem))).to.deep.equal([
      'error no-empty-servers: Servers must be present.',
      'warn info-license: Info object should contain `license` field.',
    ]);
  });

  it('finds a reference to nothing, and an example that breaks its schema', async () => {
    const document = hostDocument();
    Reflect.deleteProperty(document.components.responses, 'Login401');
    expect(await problemsIn(document)).to.deep.include("error no-unresolved-refs: Can't resolve $ref");

    const other = hostDocument();
    const { examples } = other.components.responses['Guarded403']?.content['application/json'] ?? {};
    const { value } = examples?.['foreign_reference'] ?? {};
    Object.assign(value ?? {}, { code: 401 });
    expect(await problemsIn(other)).to.deep.equal([
      'warn no-invalid-media-type-examples: Example value must conform to the schema: `code` property must be equal to constant.',
    ]);
  });
});
