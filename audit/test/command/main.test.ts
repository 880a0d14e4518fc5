import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { optionsOf, Unusable } from '../../src/command/options.js';

const ROOT = path.resolve(__dirname, '../../..');
/** Node.js 20 warns where a script requires an ES module. */
const QUIET = '--disable-warning=ExperimentalWarning';
const folder = mkdtempSync(path.join(tmpdir(), 'audit-'));
let count = 0;

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
  /** The folder of the project. */
  readonly cwd: string;
}

/** Writes the files of a project with this Express, and returns a function that runs the script in it. */
function project(files: Readonly<Record<string, string>>, express = 'express', script = 'audit.cjs') {
  const cwd = path.join(folder, `project-${(count += 1)}`);
  mkdirSync(path.join(cwd, 'node_modules'), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules', express), path.join(cwd, 'node_modules/express'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), text);
  }
  return (...args: string[]) =>
    new Promise<Run>((resolve) => {
      const child = spawn(process.execPath, [QUIET, path.join(folder, script), ...args], { cwd });
      const printed = { out: '', error: '' };
      child.stdout.on('data', (data: Buffer) => (printed.out += data.toString()));
      child.stderr.on('data', (data: Buffer) => (printed.error += data.toString()));
      child.on('close', (code) => resolve({ code, ...printed, cwd }));
    });
}

const ROUTES = `
  const guard = (req, res, next) => (req.get('authorization') === 'Bearer A' ? next() : res.status(401).end());
  app.get('/health', (req, res) => res.send('up'));
  app.use('/v1', guard);
  app.get('/v1/payments', (req, res) => res.json([]));`;
const MADE = `const app = require('express')();${ROUTES}`;
const SUM = '2 routes: 1 open, 1 refused';

describe('express-merchant-auth-audit', () => {
  before('write scripts that run the command from its sources', () => {
    const requiring = (file: string) => `require(${JSON.stringify(path.join(ROOT, file))})`;
    const load = requiring('test/helpers/typescript.mjs');
    writeFileSync(path.join(folder, 'main.cjs'), `${load}; ${requiring('audit/src/command/main.ts')};`);
    // Its steps are shorter.
    const run = `${requiring('audit/src/command/run-command.ts')}.runCommand(40);`;
    writeFileSync(path.join(folder, 'audit.cjs'), `${load}; ${run}`);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('lists the open routes with their handlers, and who refuses the others', async () => {
    const audit = project({
      'server.js': `const app = require('express')(); const guard = (req, res, next) => res.status(401).end();
app.use('/v1', guard).get('/v1/payments', (req, res) => res.end());
app.get('/health', (req, res) => res.end());
app.post('/orders', function body(req, res, next) { return req.body ? next() : res.status(400).end(); }, (req, res) => res.end());
app.listen(3000, () => console.log('up'));`,
    });
    const { code, out } = await audit('--all', '--noise', 'server.js');
    expect(code).to.equal(1);
    expect(out.replace(/[\d.]+ s/g, 'N s').replace(/\d+ requests/, 'N requests')).to.equal(`up

A stranger reaches the handler (1)
  GET    /health       server.js:3

A stranger reaches the handler with the right input (1)
  POST   /orders       checked by body in server.js:4

Refused (1)
  GET    /v1/payments  401 by server.js:1

3 routes: 2 open, 1 refused (1 by server.js:1).
N requests, N s (N s without the start)

Mount your guard before what should be closed. What is meant to be open: run again with --accept.
`);
  });

  const kinds: Record<string, Record<string, string>> = {
    'exported, with require': { 'server.js': `${MADE} module.exports = app;` },
    'exported by name, with import': {
      'server.mjs': `import express from 'express'; export const app = express();${ROUTES}`,
    },
    'exported as a default, of TypeScript': {
      'server.ts': `const app: import('express').Express = require('express')();${ROUTES.replaceAll('req,', 'req: any,')} export default app;`,
      'node_modules/tsx/index.mjs': '',
      'node_modules/tsx/package.json': '{ "main": "index.mjs" }',
    },
    'that listens as the main module, without an extension': {
      'bin/www': `${MADE} if (require.main === module) app.listen(80);`,
    },
    'that mounts more routes later, in a server of Node.js': {
      'server.js': `const app = require('express')(); app.get('/first', (req, res) => res.end());
        require('node:http').createServer(app).listen({ port: 80 }); setTimeout(() => { ${ROUTES} }, 140);`,
    },
    'behind a wrapper': { 'server.js': `${MADE} require('node:http').createServer((...a) => app(...a)).listen(80);` },
    'that prints, fails and wants to exit': {
      'server.js': `${MADE} app.listen(80, () => console.log('up')); console.error('up');
        Promise.reject(new Error('no database')); process.exit(3);`,
    },
    'without its database': {
      'server.js': `${MADE} Promise.reject(new Error('no database')).then(() => app.listen(80));`,
    },
  };
  it('asks each kind of app', async () => {
    const runs = Object.values(kinds).map((files) => project(files)(Object.keys(files)[0] ?? ''));
    for (const [at, { code, out, error }] of (await Promise.all(runs)).entries()) {
      const kind = Object.keys(kinds)[at] ?? '';
      expect(out, kind + error).to.include(kind.includes('later') ? '3 routes: 2 open, 1 refused' : SUM);
      expect(error, kind).to.equal(kind.includes('database') ? 'Waiting for an app of server.js ...\n' : '');
      expect(code, kind).to.equal(1);
      if (kind.includes('exit')) expect(out).to.include('; the app failed: no database; it wanted to exit with 3\n');
      expect(out, kind).not.to.include('up\n');
    }
  });

  it('asks the guards of NestJS before the handler', async () => {
    const nest = `class NestApplication {
      interceptors = [];
      app = require('express')();
      getHttpAdapter() { return { getInstance: () => this.app }; }
      useGlobalInterceptors(...more) { this.interceptors.push(...more); }
      async registerRouter() {
        const { interceptors } = this;
        for (const [path, isGuarded] of [['/cats', true], ['/dogs', false]]) this.app.get(path, (req, res) => {
          if (isGuarded) return res.status(401).end();
          const context = { switchToHttp: () => ({ getRequest: () => req }) };
          interceptors.reduceRight((handle, one) => () => one.intercept(context, { handle }), () => res.end('ran'))();
        });
      }
    } exports.NestApplication = NestApplication;`;
    const audit = project({
      'main.js': `const nest = new (require('@nestjs/core').NestApplication)(); nest.registerRouter(); nest.app.listen(80);`,
      'node_modules/@nestjs/core/index.js': nest,
      'node_modules/rxjs/index.js': 'exports.of = () => undefined;',
    });
    const { code, out } = await audit('--all', 'main.js');
    expect(out).to.match(/^ {2}GET {4}\/cats {7}401 by a guard of NestJS$/m);
    expect(out).to.match(/^A stranger reaches the handler \(1\)\n {2}GET {4}\/dogs/m);
    expect(code).to.equal(1);
  });

  it('writes open-routes.json, with the paths of a list of mounts, which both Expresses forget', async () => {
    const files = {
      'server.js': `const express = require('express'); const app = express();
      const router = express.Router(); router.get('/x', (req, res) => res.end());
      app.use(['/a', '/b'], router).listen(80);`,
    };
    const runs = ['express', 'express4'].map((express) => project(files, express)('--accept', 'server.js'));
    for (const { cwd } of await Promise.all(runs)) {
      const written: unknown = JSON.parse(readFileSync(path.join(cwd, 'open-routes.json'), 'utf8'));
      expect(written).to.deep.equal(['GET /a/x', 'GET /b/x']);
    }
  });

  it('prints JSON, sends headers and runs handlers', async () => {
    const audit = project({
      'server.js': `${MADE} app.get('/own', (req, res) => res.status(401).end()); app.listen(80);`,
    });
    const { out, code } = await audit('--json', '--run', 'get', '--header', 'Authorization: Bearer A', 'server.js');
    const verdicts = (JSON.parse(out) as { path: string; verdict: string }[]).map((row) => [row.path, row.verdict]);
    expect(verdicts).to.deep.equal([
      ['/health', 'open'],
      ['/v1/payments', 'open'],
      ['/own', 'refused'],
    ]);
    expect(code).to.equal(1);
  });

  it('asks as two callers for the rows of each other', async () => {
    const audit = project({
      'server.js': `const app = require('express')();
        const rows = ['A', 'B', 'C', 'D'].flatMap((owner) => [1, 2].map((at) => ({ id: \`\${owner}-row-\${at}7305\`, owner })));
        app.use((req, res, next) => (/^[A-D]$/.test(req.me = req.get('x-key')) ? next() : res.status(401).end()));
        app.get('/rows', (req, res) => res.json(rows.filter(({ owner }) => owner === req.me)));
        const isOwn = (row, me) => row.owner === me || me < 'C';
        app.get('/rows/:id', (req, res) => res.json(rows.find((row) => row.id === req.params.id && isOwn(row, req.me)) ?? null));
        app.listen(80);`,
    });
    const runs = ['A B', 'C D', 'A B --json'].map((line) => {
      const [one, other, ...more] = line.split(' ');
      return audit('rows', '--as', `X-Key: ${one}`, '--as', `X-Key: ${other}`, ...more, 'server.js');
    });
    const [wrong, right, json] = (await Promise.all(runs)) as [Run, Run, Run];
    expect(wrong.out).to.match(/^1 findings\n {2}GET \/rows\/:id: .*A/);
    expect(wrong.out).to.include(
      '\n\nFind each row by its id and by its owner, the caller. Answer 404 to all others.\n',
    );
    expect(right.out).to.include('\n\nNo GET route shows the rows of one caller to the other');
    expect(JSON.parse(json.out)).to.have.nested.property('[0].findings').that.has.length(1);
    expect([wrong.code, right.code, json.code]).to.deep.equal([1, 0, 1]);
  });

  it('says what to give instead of a bad input', async () => {
    const audit = project({
      'server.js': `${MADE} app.listen(80);`,
      'throws.js': String.raw`require('node:fs'); throw new Error('\nThese are missing:\n  PORT\nWrite them.');`,
      'null.js': 'throw null;',
      'factory.js': 'exports.createApp = () => 1;',
      'hangs.mjs': 'await new Promise(() => undefined);',
      'server.ts': '',
    });
    const inputs: [string, string][] = [
      [
        'rows --as a:A --as a:B http://127.0.0.1:1',
        'rows: http://127.0.0.1:1 does not answer. Give the address of a running host, such as http://localhost:3000, or the Express app.\n',
      ],
      ['none.js', 'none.js is not a file. Give the one that listens or exports the app.\n'],
      ['node_modules', 'node_modules is not a file. Give the one that listens or exports the app.\n'],
      ['null.js', 'null.js cannot be loaded: an empty error\n'],
      [
        'throws.js',
        'throws.js cannot be loaded: These are missing: PORT\n    at Object.<anonymous> (CWD/throws.js:1:27)\n',
      ],
      [
        'factory.js',
        `Waiting for an app of factory.js ...
factory.js made no Express app with a route in 10 s.
Give the file that listens or exports the app, or a file that calls the export createApp of factory.js. Does it wait for a database? See --noise.\n`,
      ],
      [
        'hangs.mjs',
        `Waiting for an app of hangs.mjs ...
hangs.mjs made no Express app with a route in 10 s.
Give the file that listens or exports the app. Does it wait for a database? See --noise.\n`,
      ],
      [
        'server.ts',
        'server.ts is TypeScript. Install tsx beside it, or give the built file (always for NestJS, because tsx keeps no types for decorators).\n',
      ],
    ];
    const runs = await Promise.all(inputs.map(([line]) => audit(...line.split(' '))));
    for (const [at, { code, out, error, cwd }] of runs.entries()) {
      expect([error.replace(cwd, 'CWD'), out, code]).to.deep.equal([inputs[at]?.[1], '', 2]);
    }
  });

  it('says what to give instead of bad options', () => {
    const table: Readonly<Record<string, string>> = {
      'server.js more.js': 'Give one file: the one that listens or exports the app.',
      rows: 'Give one file: the one that listens or exports the app.',
      '--every server.js': "Unknown option '--every'.",
      '--run some server.js': '--run takes get or all.',
      '--header secret server.js': "A header has the form 'Name: value'.",
      'rows --as a:b server.js':
        "Two callers are compared: rows --as 'Authorization: Bearer A' --as 'Authorization: Bearer B' server.js",
    };
    for (const [line, text] of Object.entries(table))
      expect(() => optionsOf(line.split(' ')), line)
        .to.throw(Unusable)
        .with.property('message', text);
  });

  it('shows its options on one screen', async () => {
    const { code, out } = await project({}, 'express', 'main.cjs')('--help');
    expect(code).to.equal(0);
    const lines = out.split('\n');
    expect(lines.length).to.be.at.most(24);
    expect(Math.max(...lines.map(({ length }) => length))).to.be.at.most(80);
  });
});
