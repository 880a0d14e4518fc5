import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { build } from 'esbuild';
import { AWA, KOFI, PASSWORD, PASSWORD_HASH } from '../helpers/accounts.js';
import { answerOf, STORE_UNAVAILABLE } from '../helpers/answers.js';
import { bearer, type Client, clientOf } from '../helpers/http.js';
import { type AppOptions, installApp } from './installed-app.js';

const ROOT = path.resolve(__dirname, '../..');
const NO_ADDONS = '--no-addons';
const NO_EVAL = '--disallow-code-generation-from-strings';
const BCRYPT_HASH = '$2y$10$Q4Y3wcShSiziz7c7QfJXx.Tdwhfj3bKDEOtE6lJhEhovH2/sU9C5q';

/** Packages that the guard or Express loads first, as its version decides. */
const SHARED = ['content-type', 'iconv-lite', 'safe-buffer'];
/** All other packages that a guard loads. */
const PACKAGES = [
  ...['express-merchant-auth', 'ipaddr.js', 'lru-cache'],
  ...['jsonwebtoken', 'ecdsa-sig-formatter', 'jwa', 'jws', 'semver'],
  ...['includes', 'isboolean', 'isinteger', 'isnumber', 'isplainobject', 'isstring', 'once'].map((x) => `lodash.${x}`),
  ...['passport-jwt', 'passport-strategy'],
];

/** Returns the flags of the permission model that let a server run and read its folder. */
function permissionFlags(app: string): string[] {
  const { allowedNodeEnvironmentFlags: known } = process;
  return [
    known.has('--permission') ? '--permission' : '--experimental-permission',
    `--allow-fs-read=${path.join(app, '*')}`,
    ...(known.has('--allow-net') ? ['--allow-net'] : []),
  ];
}

const apps = new Map<string, string>();
const children = new Set<ChildProcess>();

/** Returns the folder of an app, and makes it first if no test has used it. */
function appWith(options: AppOptions): string {
  const key = JSON.stringify(options);
  const app = apps.get(key) ?? installApp(options);
  apps.set(key, app);
  return app;
}

interface Host<Printed> {
  readonly client: Client;
  readonly printed: Printed;
  /** Resolves at the end of the program, to the text of its stderr. */
  readonly problems: Promise<string>;
}

/** Starts a program of `hosts`. Resolves to the JSON of its first line. */
async function startHost<Printed extends { port: number }>(
  app: string,
  flags: readonly string[],
  program: string,
  ...args: readonly string[]
): Promise<Host<Printed>> {
  const child = spawn(process.execPath, [...flags, program, ...args], { cwd: app, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  const problems = text(child.stderr);
  const line = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  if (!Buffer.isBuffer(line[0])) throw new Error(`${program} ended: ${await problems}`);
  const printed = JSON.parse(String(line[0])) as Printed;
  return { client: clientOf(printed.port), printed, problems };
}

afterEach('end the hosts', () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});
after('remove the apps', () => {
  for (const app of apps.values()) fs.rmSync(app, { recursive: true });
});

describe('a host that only guards', () => {
  for (const express of ['express', 'express4'] as const) {
    // Express 4 generates code when it loads, in depd.
    const isWithoutEval = express === 'express';
    const title = `${isWithoutEval ? 'code generation, ' : ''}addons, permissions and the optional packages`;
    it(`works without ${title} (${isWithoutEval ? 'Express 5' : 'Express 4'})`, async () => {
      const app = appWith({ express, omitsOptional: true });
      const flags = [...(isWithoutEval ? [NO_EVAL] : []), NO_ADDONS, ...permissionFlags(app)];
      const { client, printed } = await startHost<{ port: number; token: string }>(app, flags, 'guard.mjs');
      expect((await client.send('POST', '/')).status).to.equal(401);
      const headers = bearer(printed.token);
      const own = await client.send('POST', '/', { headers, body: { refercence_cl: AWA.marchand.referencl } });
      const { referencl, packages } = own.json as { referencl: string; packages: string[] };
      expect([own.status, referencl]).to.deep.equal([200, AWA.marchand.referencl]);
      expect(packages.filter((name) => !SHARED.includes(name))).to.deep.equal([...PACKAGES].sort());
    });
  }
});

describe('a host with login', () => {
  const HASHES = [PASSWORD_HASH, BCRYPT_HASH];
  const ACCOUNTS = JSON.stringify([AWA, KOFI].map(({ email }, at) => ({ email, passwordHash: HASHES[at] })));
  const VALID = { email: AWA.email, password: PASSWORD };

  async function expectLogins(client: Client): Promise<void> {
    const wrong = { ...VALID, password: 'not the password' };
    expect((await client.send('POST', '/login', { body: wrong })).status).to.equal(401);
    const { json } = await client.send('POST', '/login', { body: VALID });
    const { token } = (json as { authorisation: { token: string } }).authorisation;
    expect((await client.send('GET', '/', { headers: bearer(token) })).json).to.equal('guarded');
  }

  it('lists the broken rules of a body, logs in and guards', async () => {
    const app = appWith({ express: 'express', omitsOptional: false });
    const { client } = await startHost(app, [], 'login.mjs', ACCOUNTS);
    const invalid = await client.send('POST', '/login', { body: { email: 'awa' } });
    const { errors } = invalid.json as { errors: { field: string; rule: string }[] };
    expect(errors.map(({ field, rule }) => [field, rule])).to.deep.equal([
      ['password', 'required'],
      ['email', 'minLength'],
      ['email', 'format'],
    ]);
    await expectLogins(client);
  });

  it('works without code generation if it calls createLogin', async () => {
    const app = appWith({ express: 'express', omitsOptional: false });
    const { client } = await startHost(app, [NO_EVAL], 'login.mjs', ACCOUNTS, 'createLogin');
    await expectLogins(client);
  });

  /** Starts the host, which fails. Returns the first line of its error. */
  function problemOf(app: string, flags: readonly string[]): string {
    const { status, stderr } = spawnSync(process.execPath, [...flags, 'login.mjs', ACCOUNTS], {
      cwd: app,
      encoding: 'utf8',
    });
    expect(status).to.equal(1);
    expect(stderr).not.to.include('function code');
    return /^Error: (.*)$/m.exec(stderr)?.[1] ?? stderr;
  }

  it('names createLogin if createLoginRouter cannot generate code, and prints none', () => {
    const problem = problemOf(appWith({ express: 'express', omitsOptional: false }), [NO_EVAL]);
    expect(problem).to.equal(
      'createLoginRouter: Ajv generates code, and this process forbids it. Start Node.js without ' +
        '--disallow-code-generation-from-strings, or use createLogin, which works there.',
    );
  });

  it('names the missing package and the fix at its start', () => {
    const problem = problemOf(appWith({ express: 'express', omitsOptional: true }), []);
    expect(problem).to.match(
      /^@node-rs\/argon2 has no binary for (\S+): the optional package (@node-rs\/argon2-\1) is not installed\. Install on this platform without --omit=optional, or run: npm install \2@\d+\.\d+\.\d+$/,
    );
    expect(problem).to.include(`for ${process.platform}-${process.arch}`);
  });

  it('names --no-addons, or the permission model, if that forbids the binary', () => {
    const app = appWith({ express: 'express', omitsOptional: false });
    for (const [flags, reason] of [
      [[NO_ADDONS], '--no-addons forbids it. Start Node.js without this flag.'],
      [permissionFlags(app), 'the permission model forbids it. Start Node.js with --allow-addons.'],
    ] as const) {
      expect(problemOf(app, flags)).to.equal(`@node-rs/argon2 is a native addon, and ${reason}`);
    }
  });

  it('answers 503 for a stored hash whose package is missing, and logs the fix', async () => {
    const app = installApp({ express: 'express', omitsOptional: false });
    apps.set(app, app);
    for (const name of fs.readdirSync(path.join(app, 'node_modules/@node-rs'))) {
      if (name.startsWith('bcrypt-')) fs.rmSync(path.join(app, 'node_modules/@node-rs', name), { recursive: true });
    }
    const { client, problems } = await startHost(app, [], 'login.mjs', ACCOUNTS);
    expect((await client.send('POST', '/login', { body: VALID })).status).to.equal(200);
    const refused = await client.send('POST', '/login', { body: { ...VALID, email: KOFI.email } });
    expect(refused.json).to.include(answerOf(STORE_UNAVAILABLE, 5).expected);
    for (const child of children) child.kill();
    expect(await problems).to.match(
      new RegExp(
        String.raw`^express-merchant-auth ${STORE_UNAVAILABLE}: @node-rs/bcrypt has no binary for (\S+): .* npm install @node-rs/bcrypt-\1@`,
        'm',
      ),
    );
  });
});

describe('a bundle of a guard', () => {
  it('has only the packages that a guard loads, and at most 160 kB', async () => {
    const contents = "export { requireBearer } from 'express-merchant-auth';";
    const { metafile, outputFiles } = await build({
      stdin: { contents, resolveDir: ROOT },
      bundle: true,
      minify: true,
      platform: 'node',
      external: ['express'],
      write: false,
      metafile: true,
    });
    const [bundle] = Object.values(metafile.outputs);
    const files = Object.entries(bundle?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    const packages = files.map(
      ([file]) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? 'express-merchant-auth',
    );
    // Only some inputs load the first of these. Express shares the others.
    const expected = [...PACKAGES, 'buffer-equal-constant-time', 'content-type', 'ms', 'safe-buffer'];
    expect([...new Set(packages)].sort()).to.deep.equal(expected.sort());
    expect(outputFiles[0]?.contents.byteLength).to.be.below(160_000);
  });
});
