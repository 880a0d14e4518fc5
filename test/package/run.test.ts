import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(__dirname, '../..');

function scriptsOf(folder: string): Readonly<Record<string, string>> {
  const file = path.join(ROOT, folder, 'package.json');
  if (!fs.existsSync(file)) return {};
  const { scripts = {} } = JSON.parse(fs.readFileSync(file, 'utf8')) as { scripts?: Record<string, string> };
  return scripts;
}

it('test/run.mjs fails after a group with a script that fails', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'run-'));
  const npm = path.join(folder, 'npm.cjs');
  fs.writeFileSync(npm, "console.log(...process.argv); process.exit(process.argv.includes('broken') ? 3 : 0);");
  const args = [path.join(ROOT, 'test/run.mjs'), 'build', ',', 'test:core', 'broken', ',', 'coverage', '--', '-g', 'x'];
  const options = { cwd: folder, env: { ...process.env, npm_execpath: npm }, encoding: 'utf8' } as const;
  const { status, stdout } = spawnSync(process.execPath, args, options);
  fs.rmSync(folder, { recursive: true });
  expect(status).to.equal(1);
  expect(stdout).to.include('--silent test:core -- -g x\n').and.not.to.include('coverage');
});

describe('the scripts of package.json', () => {
  it('run files that exist', () => {
    const run = Object.values(scriptsOf('.')).flatMap((script) => [...script.matchAll(/\bnode ([\w./-]+\.m?js)\b/g)]);
    const sources = run.map(([, file = '']) =>
      file.replace(/\bdist\/(.*)\.js$/, (_built, name: string) => {
        return file.startsWith('example-app/') ? `src/${name}.ts` : `${name}.ts`;
      }),
    );
    expect(sources).to.include.members(['test/run.mjs', 'bench/main.ts', 'example-app/src/main.ts']);
    for (const file of sources) expect(fs.existsSync(path.join(ROOT, file)), file).to.equal(true);
  });

  it('run in each shell, even in cmd and PowerShell', () => {
    const consumers = fs.readdirSync(path.join(ROOT, 'test/consumers')).map((name) => `test/consumers/${name}`);
    const scripts = ['.', 'client', 'example-app', ...consumers].flatMap((folder) => Object.values(scriptsOf(folder)));
    // Single quotes, variables and programs that only a shell of POSIX knows. Text in double quotes is for the program.
    const posix = /'|^\w+=|\$|;|\b(?:bash|sh|cp|mv|rm|export)\b/;
    const commands = scripts.flatMap((script) => script.split(' && '));
    expect(commands).to.have.length.above(20);
    expect(commands.filter((command) => posix.test(command.replace(/"[^"]*"/g, '""')))).to.deep.equal([]);
    for (const wrong of ["mocha 'a b'", 'CI=1 mocha', 'node $FILE', 'rm -r dist']) expect(wrong).to.match(posix);
  });
});
