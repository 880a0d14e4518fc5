import { execSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import { expect } from 'chai';
import express, { type RequestHandler, type Router } from 'express';
import { createTokens, type KeyConfig, type KeyPairConfig, merchantOf, type Tokens } from 'express-merchant-auth';
import { createTestTokens } from 'express-merchant-auth/testing';
import { AWA } from '../helpers/accounts.js';
import { printedBy } from '../helpers/diagnostics.js';
import { bearer, serve } from '../helpers/http.js';
import { blockOf, blocksOf, loadSnippet, readPage, writeSnippet, writeSnippets } from '../helpers/snippets.js';
import { rejectionOf } from '../helpers/thrown.js';
import { craftToken, readToken } from '../helpers/tokens.js';
import { until } from '../helpers/until.js';
import { setVariable } from '../helpers/variables.js';

const PAGE = 'docs/keys.md';

type ReplaceKeys = (tokens: Pick<Tokens, 'replaceKeys'>, current: KeyConfig, next: KeyConfig) => void;

const OLD: KeyConfig = { kid: '2026-11', algorithm: 'HS256', secret: 'the old secret, of 32 bytes or more' };
const NEW: KeyConfig = { kid: '2026-12', algorithm: 'HS256', secret: 'the new secret, of 32 bytes or more' };

/** The steps of the rotation: the call of each, and the hours until the next. */
function stepsOfRotation(): { readonly take: ReplaceKeys; readonly hours: number }[] {
  const rows = readPage(PAGE).matchAll(/^\| \d +\| `(.+?)` +\| (?:(\d) hours?)?/gm);
  return [...rows].map(([, call = '', hours = '0']) => ({
    // oxlint-disable-next-line typescript/no-implied-eval -- runs what the page shows
    take: new Function('tokens', 'current', 'next', call) as ReplaceKeys,
    hours: Number(hours),
  }));
}

describe(PAGE, () => {
  const commands = blocksOf(PAGE).filter(({ language }) => language === 'sh');
  const newKey = commands.find(({ text }) => text.includes('new-key.mjs'))?.text ?? '';
  let shown: { readonly tokens: Tokens; readonly readKey: (kid: string) => KeyConfig };
  let folder: string;

  /** Runs a command of the page in the folder of the keys. */
  const run = (command = '') => execSync(command, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

  before('make two keys as the page says, and load its tokens', () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keys-'));
    const script = writeSnippets(PAGE).find((file) => file.endsWith('new-key.mjs')) ?? '';
    fs.copyFileSync(script, path.join(folder, 'new-key.mjs'));
    for (const kid of ['2026-11', '2026-12']) run(newKey.replaceAll('2026-11', kid));
    process.env['KEY_FOLDER'] = folder;
    shown = loadSnippet('tokens.ts', PAGE) as typeof shown;
  });

  beforeEach('begin with one key', () => {
    shown.tokens.replaceKeys([shown.readKey('2026-11')]);
  });

  after('remove the keys', () => {
    Reflect.deleteProperty(process.env, 'KEY_FOLDER');
    fs.rmSync(folder, { recursive: true });
  });

  /** Serves the router of the page and names its address to the samples. */
  const publish = async () => {
    const { publicKeys } = loadSnippet('public-keys.ts', PAGE) as { publicKeys: Router };
    const client = await serve(express().use(publicKeys));
    setVariable('KEYS_URL', `http://127.0.0.1:${client.port}/jwks.json`);
    return client;
  };

  /** Tokens that a verifier elsewhere must refuse. */
  const badTokens = () => {
    const { tokens } = shown;
    const { expired, notYet, wrongKey, tampered, withoutExpiry, otherRealm } = createTestTokens(tokens);
    const { header, payload } = readToken(tokens.issue(AWA));
    const { privateKey: key } = shown.readKey('2026-11') as { readonly privateKey: string };
    return [
      ...[expired, notYet, wrongKey, tampered, withoutExpiry, otherRealm].map((make) => make(AWA)),
      craftToken({ header: { ...header, typ: 'JWT' }, payload, key }),
      craftToken({ header, payload: { ...payload, aud: 'other' }, key }),
    ];
  };

  it('shows a command that makes a secret', () => {
    const command = commands.find(({ text }) => text.includes('randomBytes'))?.text;
    const secrets = [run(command).trim(), run(command).trim()];
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).to.have.length(64);
    expect(secrets[0]).not.to.equal(secrets[1]);
  });

  it('shows a script that writes a key pair to a file of its owner, and never overwrites it', () => {
    const mode = fs.statSync(path.join(folder, '2026-12.json')).mode & 0o777;
    if (process.platform !== 'win32') expect(mode).to.equal(0o600);
    const { kid, algorithm, publicKey } = shown.readKey('2026-12') as KeyPairConfig;
    expect([kid, algorithm]).to.deep.equal(['2026-12', 'ES256']);
    expect(() => run(newKey)).to.throw('EEXIST');
    expect(shown.readKey('2026-12')).to.include({ publicKey });
    expect(shown.tokens.verify(shown.tokens.issue(AWA)).sub).to.equal(AWA.id);
  });

  it('shows a script that says its usage and writes nothing without the id of a key, or with one that is no file name', () => {
    const before = fs.readdirSync(folder);
    for (const args of ['', '""', '../2026-13', '--help']) {
      expect(() => run(`node new-key.mjs ${args}`), args).to.throw('Usage: node new-key.mjs KID');
    }
    expect(fs.readdirSync(folder)).to.deep.equal(before);
  });

  it('shows tokens with a key pair from the environment, even where \\n stands for the line ends', () => {
    const { privateKey = '', publicKey } = shown.readKey('2026-11') as KeyPairConfig;
    const asLine = (pem: unknown) => String(pem).replaceAll('\n', '\\n');
    setVariable('SIGNING_KEY', asLine(privateKey));
    setVariable('VERIFYING_KEY', asLine(publicKey));
    const { tokens } = loadSnippet('tokens-from-environment.ts', PAGE) as { readonly tokens: Tokens };
    expect(shown.readKey('2026-11')).to.have.property('privateKey').that.includes('\n');
    expect(tokens.verify(tokens.issue(AWA)).sub).to.equal(AWA.id);
  });

  it('shows a rotation in which no process refuses a token of the step before or after', () => {
    const accepts = (verifier: Tokens, signer: Tokens) => verifier.verify(signer.issue(AWA)).sub === AWA.id;
    const before = createTokens({ keys: [OLD] });
    const rings: KeyConfig[][] = [];
    const replaceKeys = (keys: readonly KeyConfig[]) => void rings.push([...keys]);
    const steps = stepsOfRotation();
    let previous = before;
    for (const [index, { take }] of steps.entries()) {
      take({ replaceKeys }, OLD, NEW);
      const tokens = createTokens({ keys: rings[index] ?? [] });
      // The tokens of the first key expire before the last step.
      if (index < steps.length - 1) expect(accepts(tokens, previous)).to.equal(true);
      expect(accepts(previous, tokens)).to.equal(true);
      previous = tokens;
    }
    expect(() => accepts(previous, before)).to.throw('Token not valid');
    // The longest time of a cached key set, and the lifetime of a token.
    expect(steps.map(({ hours }) => hours)).to.deep.equal([1, 5, 0]);
  });

  it('shows how an app takes a new ring without a restart, and keeps the old one when it cannot be used', async () => {
    const file = writeSnippet('keys.json', '', PAGE);
    const writeRing = (...keys: readonly KeyConfig[]) => {
      fs.writeFileSync(file, JSON.stringify(keys));
    };
    const listeners = process.listeners('SIGHUP');
    setVariable('JWT_KEYS_FILE', path.resolve(file));
    try {
      writeRing(OLD);
      const { tokens } = loadSnippet('rotating-keys.ts', PAGE) as { tokens: Tokens };
      const token = createTokens({ keys: [NEW] }).issue(AWA);
      expect(() => tokens.verify(token))
        .to.throw()
        .with.property('detail')
        .that.includes('its kid names none of these keys');

      writeRing(OLD, NEW);
      process.emit('SIGHUP');
      expect(tokens.verify(token).sub).to.equal(AWA.id);

      fs.writeFileSync(file, '[{"kid":"2026-12","secret":"geheim');
      const printed = await printedBy('error', () => process.emit('SIGHUP'));
      expect(printed).to.deep.equal([['The key ring stays as it was: the new one cannot be used.']]);
      expect(tokens.verify(token).sub).to.equal(AWA.id);
    } finally {
      for (const listener of process.listeners('SIGHUP')) {
        if (!listeners.includes(listener)) process.off('SIGHUP', listener);
      }
    }
  });

  it('shows how the secret of until now becomes a key of a ring', () => {
    const secret = 'the secret of until now, of 32 bytes or more';
    const token = createTokens({ secret }).issue(AWA);
    // The comment of the page is not for cmd.
    const [, line = ''] = blockOf(PAGE, 'kid.sh').split('\n');
    const kid = execSync(line, { env: { ...process.env, TOKEN: token }, encoding: 'utf8' }).trim();
    const ring = createTokens({ keys: [{ kid, algorithm: 'HS256', secret }, NEW] });
    expect(ring.verify(token).sub).to.equal(AWA.id);
  });

  it('shows a router that publishes the public keys, for less time than a rotation waits', async () => {
    const { status, headers, json } = await (await publish()).send('GET', '/jwks.json');
    expect([status, json]).to.deep.equal([200, shown.tokens.jwks()]);
    expect(shown.tokens.jwks().keys.map(({ kid }) => kid)).to.deep.equal(['2026-11']);
    expect(headers['cache-control']).to.equal('public, max-age=300');
    expect(300).to.be.below((stepsOfRotation()[0]?.hours ?? 0) * 3600);
  });

  it('shows a service that only guards, which follows a rotation and keeps its keys while the issuer is down', async () => {
    let isDown = false;
    const { publicKeys } = loadSnippet('public-keys.ts', PAGE) as { publicKeys: Router };
    const fail: RequestHandler = (_req, res, next) => {
      if (isDown) res.sendStatus(503);
      else next();
    };
    const issuer = await serve(express().use(fail, publicKeys));
    setVariable('KEYS_URL', `http://127.0.0.1:${issuer.port}/jwks.json`);
    const { createServiceGuard } = loadSnippet('service-guard.ts', PAGE) as {
      createServiceGuard: () => Promise<RequestHandler>;
    };
    let poll = () => undefined;
    const timer = mock.method(globalThis, 'setInterval', (run: typeof poll) => {
      poll = run;
      return { unref: () => undefined };
    });
    const show: RequestHandler = (req, res) => void res.json(merchantOf(req));
    const client = await serve(express().use(await createServiceGuard(), show));
    timer.mock.restore();
    const send = (token: string) => client.send('GET', '/', { headers: bearer(token) });
    const before = shown.tokens.issue(AWA);
    expect((await send(before)).json).to.include({ referencl: 'BTQ-1001', account: null });

    shown.tokens.replaceKeys([shown.readKey('2026-12'), shown.readKey('2026-11')]);
    const after = shown.tokens.issue(AWA);
    expect((await send(after)).status).to.equal(401);
    poll();
    while ((await send(after)).status !== 200);

    isDown = true;
    const warned = mock.method(console, 'warn', () => undefined);
    poll();
    await until(() => warned.mock.callCount() === 1);
    warned.mock.restore();
    for (const token of [before, after]) expect((await send(token)).status).to.equal(200);
  });

  it('shows how jose verifies the tokens, with every check that the page demands', async () => {
    await publish();
    const { verifyToken } = loadSnippet('verify-with-jose.ts', PAGE) as {
      verifyToken: (token: string) => Promise<unknown>;
    };
    const payload = await verifyToken(shown.tokens.issue(AWA));
    expect(payload).to.include({ sub: AWA.id, referencl: 'BTQ-1001', iss: 'express-merchant-auth/merchant' });
    for (const token of badTokens()) {
      expect(await rejectionOf(verifyToken(token)))
        .to.have.property('code')
        .that.is.a('string')
        .and.match(/^ERR_J/);
    }
  });
});
