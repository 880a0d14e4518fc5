import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { demoAccounts } from '../../example-app/src/demo-accounts.js';
import { startApp } from '../example-app/app-process.js';
import { withApiTool } from '../helpers/api-tools.js';
import { readPage } from '../helpers/snippets.js';

const FILE = 'docs/postman.json';

/** The part of newman's JSON report that the test reads. */
interface Report {
  readonly run: {
    readonly executions: readonly {
      readonly item: { readonly name: string };
      readonly request: { readonly header: readonly { readonly key: string }[] };
      readonly response?: { readonly code: number };
    }[];
    readonly failures: readonly { readonly error: { readonly message: string } }[];
  };
}

withApiTool(FILE, 'newman', (newman) => {
  it('is what the converter makes of the OpenAPI document', () => {
    const script = path.resolve(__dirname, '../api-tools/postman.mjs');
    execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' });
  });

  it('sends the token, the reference and the id of the own account in the requests after "Log in"', async () => {
    const { port } = await startApp();
    const [first, second] = demoAccounts;
    if (first === undefined || second === undefined) throw new Error('There are not two accounts.');
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'postman-'));
    const [file, report] = [path.join(folder, 'own.json'), path.join(folder, 'report.json')];
    fs.writeFileSync(file, readPage(FILE).replace(first.email, second.email).replace(first.password, second.password));
    const given = ['--env-var', `baseUrl=http://localhost:${port}/v1`];
    const output = ['--reporters', 'json', '--reporter-json-export', report, '--suppress-exit-code'];
    try {
      await promisify(execFile)(newman.file, [...newman.args, 'run', file, ...given, ...output]);
      const { executions, failures } = (JSON.parse(fs.readFileSync(report, 'utf8')) as Report).run;
      expect(failures.map(({ error }) => error.message)).to.deep.equal([]);
      const sent = executions.map(({ item, request, response }) => [
        item.name,
        request.header.some(({ key }) => key === 'Authorization'),
        response?.code,
      ]);
      expect(sent).to.deep.equal([
        ['Log in', false, 200],
        ['Initiate a transaction', true, 201],
        ['List your transactions', true, 200],
        ['Find one of your transactions', true, 200],
      ]);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});
