import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { readPage } from '../helpers/snippets.js';
import { parseWorkflow, readWorkflows } from './workflow-parser.js';

const ROOT = path.resolve(__dirname, '../..');

interface Job {
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: { readonly folder?: readonly string[] } };
  readonly needs?: string;
  readonly permissions?: unknown;
  readonly environment?: string;
  /** The workflow that the job calls in place of steps. */
  readonly uses?: string;
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[];
}

interface Content {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const { scripts } = JSON.parse(readPage('package.json')) as { readonly scripts: Readonly<Record<string, string>> };

/** Returns true for a command that can run: an npm script, `npm ci` or a file of this repository with bash. */
function exists(command: string): boolean {
  const [, script] = /^npm (?:run )?([\w:-]+)( |$)/.exec(command) ?? [];
  if (script !== undefined) return script in scripts || ['ci', 'install', 'publish', 'pack'].includes(script);
  const [, file] = /^(?:format\(')?(?:bash|node) ([\w./-]+)( |$)/.exec(command) ?? [];
  return file !== undefined && fs.existsSync(path.join(ROOT, file));
}

describe('the workflows', () => {
  const workflows = readWorkflows();
  const contentOf = (name: string) => workflows.get(name)?.content as Content;

  it('are valid for the parser that GitHub publishes', () => {
    expect([...workflows.keys()]).to.include('ci.yml');
    for (const [name, { problems }] of workflows) expect(problems, name).to.deep.equal([]);
    const unknown = 'on: push\njobs: { one: { runs-on: x, steps: [{ rum: ls }, { run: "${{ matrx.a }}" }] } }';
    expect(parseWorkflow('wrong.yml', unknown).problems).to.have.length.above(1);
  });

  it('run commands that exist', () => {
    const jobs = [...workflows.keys()].flatMap((name) => Object.values(contentOf(name).jobs));
    const commands = jobs.flatMap(({ steps = [] }) => steps.flatMap(({ run }) => run?.split('\n') ?? []));
    expect(commands).to.include('npm test');
    const own = commands.filter((command) => !command.startsWith('gh release create '));
    expect(own.filter((command) => !exists(command))).to.deep.equal([]);
    for (const wrong of ['npm run biuld', 'bash .ci/runn', 'curl localhost']) expect(exists(wrong)).to.equal(false);
  });

  it('use a time limit for each job, and a version of each action', () => {
    for (const name of workflows.keys()) {
      const { permissions, jobs } = contentOf(name);
      expect(permissions, name).to.deep.equal({ contents: 'read' });
      for (const [job, { uses: called, steps = [], ...settings }] of Object.entries(jobs)) {
        if (called === undefined) expect(settings['timeout-minutes'], job).to.be.within(1, 60);
        for (const { uses } of steps) if (uses !== undefined) expect(uses).to.match(/^actions\/[\w-]+@v\d+$/);
      }
    }
  });

  it('publish only after the version check and the gate, and let only two jobs write', () => {
    const { version, gate, publish, notes } = contentOf('release.yml').jobs;
    const order = [version, gate, publish, notes];
    expect(order.map((job) => job?.needs)).to.deep.equal([undefined, 'version', 'gate', 'publish']);
    expect([gate?.uses, publish?.environment]).to.deep.equal(['./.github/workflows/ci.yml', 'release']);
    expect(publish?.strategy?.matrix.folder).to.deep.equal(['.', 'client']);
    const rights = order.map((job) => job?.permissions);
    const publishing = { contents: 'read', 'id-token': 'write' };
    expect(rights).to.deep.equal([undefined, undefined, publishing, { contents: 'write' }]);
    for (const { permissions } of Object.values(contentOf('ci.yml').jobs)) expect(permissions).to.equal(undefined);
  });
});
