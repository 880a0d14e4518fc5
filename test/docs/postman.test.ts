import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startApp } from '../example-app/app-process.js';
import { withApiTool } from '../helpers/api-tools.js';
import { readPage } from '../helpers/snippets.js';

const FILE = 'docs/postman.json';
const ROOT = path.resolve(__dirname, '../..');

interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
}

/** The part of newman's JSON report that the tests read. */
interface Report {
  readonly run: {
    readonly executions: readonly { readonly item: Item; readonly response?: { readonly code: number } }[];
    readonly failures: readonly { readonly source: Item; readonly error: { readonly message: string } }[];
  };
}

function namesOf(items: readonly Item[]): string[] {
  return items.flatMap(({ name, item }) => (item ? namesOf(item) : [name]));
}

withApiTool(`${FILE} against the example app`, 'newman', (newman) => {
  /** Runs the collection, and returns the report. */
  async function run(): Promise<Report['run']> {
    const { port } = await startApp();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'postman-'));
    const report = path.join(folder, 'report.json');
    const given = ['--env-var', `baseUrl=http://localhost:${port}/v1`];
    const output = ['--reporters', 'json', '--reporter-json-export', report, '--suppress-exit-code'];
    try {
      await promisify(execFile)(newman.file, [...newman.args, 'run', path.join(ROOT, FILE), ...given, ...output]);
      return (JSON.parse(fs.readFileSync(report, 'utf8')) as Report).run;
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  }

  const names = namesOf((JSON.parse(readPage(FILE)) as { item: Item[] }).item);

  it('sends every request, and every answer passes', async () => {
    const { executions, failures } = await run();
    expect(failures.map(({ source, error }) => `${source.name}: ${error.message}`)).to.deep.equal([]);
    expect(executions.map(({ item }) => item.name)).to.deep.equal(names);
    expect(executions.map(({ response }) => response?.code)).to.deep.equal([
      200, 201, 200, 200, 200, 200, 401, 403, 400, 409,
    ]);
  });
});
