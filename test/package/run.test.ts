import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { scriptsOfTest } from '../helpers/gate.js';

const RUN = path.resolve(__dirname, '../run.mjs');

/** Prints its arguments instead of running a script. The script `broken` fails with 3. */
const FAKE_NPM = `console.log(JSON.stringify(process.argv.slice(2)));
process.exit(process.argv.includes('broken') ? 3 : 0);`;

describe('test/run.mjs', () => {
  let folder: string;

  before('write a program that replaces npm', () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'run-'));
    fs.writeFileSync(path.join(folder, 'npm.mjs'), FAKE_NPM);
  });

  after('remove the program', () => fs.rmSync(folder, { recursive: true }));

  function run(...given: string[]) {
    const env = { ...process.env, npm_execpath: path.join(folder, 'npm.mjs') };
    const { status, stdout } = spawnSync(process.execPath, [RUN, ...given], { env, encoding: 'utf8' });
    return {
      status,
      lines: stdout
        .replace(/\(\d+ s\)/g, '(N s)')
        .trim()
        .split('\n'),
    };
  }

  it('runs the scripts in their order, says so, and gives the arguments to the last one', () => {
    expect(run('lint', 'types', '--', '--grep', 'a title')).to.deep.equal({
      status: 0,
      lines: [
        '1/2 lint ...',
        '["run","--silent","lint"]',
        '1/2 lint: passed (N s)',
        '2/2 types ...',
        '["run","--silent","types","--","--grep","a title"]',
        '2/2 types: passed (N s)',
      ],
    });
  });

  it('stops at the first failure, with its exit code', () => {
    expect(run('lint', 'broken', 'types')).to.deep.equal({
      status: 3,
      lines: [
        '1/3 lint ...',
        '["run","--silent","lint"]',
        '1/3 lint: passed (N s)',
        '2/3 broken ...',
        '["run","--silent","broken"]',
        '2/3 broken: FAILED (N s)',
      ],
    });
  });

  it('runs the scripts of `npm test` that exist', () => {
    const manifest = fs.readFileSync(path.resolve(__dirname, '../../package.json'), 'utf8');
    const { scripts } = JSON.parse(manifest) as { readonly scripts: Readonly<Record<string, string>> };
    expect(scriptsOfTest()).to.include('test:mocha');
    expect(scripts).to.include.keys(scriptsOfTest());
  });

  it('belongs to a manifest whose scripts run files that exist', () => {
    const root = path.resolve(__dirname, '../..');
    const { scripts } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const run = Object.values(scripts).flatMap((script) => [...script.matchAll(/\bnode ([\w./-]+\.m?js)\b/g)]);
    const sources = run.map(([, file = '']) =>
      file.replace(/\bdist\/(.*)\.js$/, (_built, name: string) => {
        return file.startsWith('example-app/') ? `src/${name}.ts` : `${name}.ts`;
      }),
    );
    expect(sources).to.include.members(['test/run.mjs', 'bench/main.ts', 'example-app/src/main.ts']);
    for (const file of sources) expect(fs.existsSync(path.join(root, file)), file).to.equal(true);
  });

  it('belongs to manifests whose scripts run in each shell, also in cmd and PowerShell', () => {
    const root = path.resolve(__dirname, '../..');
    const consumers = fs.readdirSync(path.join(root, 'test/consumers')).map((name) => `test/consumers/${name}`);
    const manifests = ['.', 'example-app', ...consumers].map((folder) => path.join(root, folder, 'package.json'));
    const files = manifests.filter((file) => fs.existsSync(file));
    const scripts = files.flatMap((file) => {
      const { scripts = {} } = JSON.parse(fs.readFileSync(file, 'utf8')) as { scripts?: Record<string, string> };
      return Object.values(scripts);
    });
    // Single quotes, variables and programs that only a shell of POSIX knows. Text in double quotes is for the program.
    const posix = /'|^\w+=|\$|;|\b(?:bash|sh|cp|mv|rm|export)\b/;
    const commands = scripts.flatMap((script) => script.split(' && '));
    expect(commands).to.have.length.above(20);
    expect(commands.filter((command) => posix.test(command.replace(/"[^"]*"/g, '""')))).to.deep.equal([]);
    for (const wrong of ["mocha 'a b'", 'CI=1 mocha', 'node $FILE', 'rm -r dist']) expect(wrong).to.match(posix);
  });
});
