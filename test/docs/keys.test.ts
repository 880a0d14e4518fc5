import { execSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import {
  authErrorHandler,
  type KeyConfig,
  type KeyPairConfig,
  requireBearer,
  type Tokens,
} from 'express-merchant-auth';
import { createTestTokens } from 'express-merchant-auth/testing';
import { AWA, accountStore, withPassword } from '../helpers/accounts.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { bearer, serve } from '../helpers/http.js';
import { ecPair } from '../helpers/keys.js';
import { blocksOf, loadSnippet, readPage, writeSnippets } from '../helpers/snippets.js';
import { rejectionOf } from '../helpers/thrown.js';
import { craftToken, readToken } from '../helpers/tokens.js';
import { itWithFileModes } from '../helpers/unavailable.js';

const PAGE = 'docs/keys.md';

type ReplaceKeys = (tokens: Pick<Tokens, 'replaceKeys'>, current: KeyConfig, next: KeyConfig) => void;

/** The steps of the rotation: the call of each, and the hours until the next. */
function stepsOfRotation(): { readonly take: ReplaceKeys; readonly hours: number }[] {
  const rows = readPage(PAGE).matchAll(/^\| \d +\| `(.+?)` +\| (?:(\d) hours?)?/gm);
  return [...rows].map(([, call = '', hours = '0']) => ({
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- runs what the page shows
    take: new Function('tokens', 'current', 'next', call) as ReplaceKeys,
    hours: Number(hours),
  }));
}

describe(PAGE, () => {
  const commands = blocksOf(PAGE).filter(({ language }) => language === 'sh');
  let shown: { readonly tokens: Tokens; readonly readKey: (kid: string) => KeyConfig };
  let folder: string;

  /** Runs a command of the page in the folder of the keys. */
  const run = (command = '') => execSync(command, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

  before('make two keys as the page says, and load its tokens', () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keys-'));
    const script = writeSnippets(PAGE).find((file) => file.endsWith('new-key.mjs')) ?? '';
    fs.copyFileSync(script, path.join(folder, 'new-key.mjs'));
    const command = commands.find(({ text }) => text.includes('new-key.mjs'))?.text ?? '';
    for (const kid of ['2026-11', '2026-12']) run(command.replaceAll('2026-11', kid));
    process.env['KEY_FOLDER'] = folder;
    shown = loadSnippet('tokens.ts', PAGE) as typeof shown;
  });

  beforeEach('begin with one key', () => {
    shown.tokens.replaceKeys([shown.readKey('2026-11')]);
  });

  after('remove the keys', () => {
    Reflect.deleteProperty(process.env, 'KEY_FOLDER');
    Reflect.deleteProperty(process.env, 'KEYS_URL');
    fs.rmSync(folder, { recursive: true });
  });

  /** Serves the router of the page and names its address to the samples. */
  const publish = async () => {
    const { publicKeys } = loadSnippet('public-keys.ts', PAGE) as { publicKeys: Router };
    const client = await serve(express().use(publicKeys));
    process.env['KEYS_URL'] = `http://127.0.0.1:${client.port}/jwks.json`;
    return client;
  };

  /** Tokens that a verifier elsewhere must refuse. */
  const badTokens = () => {
    const { tokens } = shown;
    const { expired, notYet, wrongKey, tampered, withoutExpiry, otherRealm } = createTestTokens(tokens);
    const { header, payload } = readToken(tokens.issue(AWA));
    const key = (shown.readKey('2026-11') as { readonly privateKey: string }).privateKey;
    return [
      ...[expired, notYet, wrongKey, tampered, withoutExpiry, otherRealm].map((make) => make(AWA)),
      craftToken({ header: { ...header, typ: 'JWT' }, payload, key }),
      craftToken({ header, payload: { ...payload, aud: 'other' }, key }),
      craftToken({ header, payload, key: ecPair.prime256v1().privateKey }),
    ];
  };

  it('shows a command that makes a secret', () => {
    const command = commands.find(({ text }) => text.includes('randomBytes'))?.text;
    const secrets = [run(command).trim(), run(command).trim()];
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).to.have.length(64);
    expect(secrets[0]).not.to.equal(secrets[1]);
  });

  itWithFileModes('shows a script that writes a key pair to a file that only its owner reads', () => {
    expect(fs.statSync(path.join(folder, '2026-12.json')).mode & 0o777).to.equal(0o600);
  });

  it('shows a script that never overwrites a key', () => {
    const command = commands.find(({ text }) => text.includes('new-key.mjs'))?.text;
    const { privateKey } = shown.readKey('2026-11') as KeyPairConfig;
    expect(() => run(command)).to.throw('EEXIST');
    expect(shown.readKey('2026-11')).to.include({ privateKey });
  });

  it('shows a script that makes a key pair, which signs and verifies', () => {
    const { kid, algorithm, publicKey } = shown.readKey('2026-12') as KeyPairConfig;
    expect([kid, algorithm]).to.deep.equal(['2026-12', 'ES256']);
    expect(createPublicKey(publicKey).asymmetricKeyDetails).to.deep.equal({ namedCurve: 'prime256v1' });
    const { privateKey, ...verifying } = shown.readKey('2026-11') as KeyPairConfig;
    expect(privateKey).to.include('PRIVATE KEY');
    const token = shown.tokens.issue(AWA);
    shown.tokens.replaceKeys([verifying]);
    expect(shown.tokens.verify(token).sub).to.equal(AWA.id);
  });

  it('shows tokens with a key pair from the environment, also where \\n stands for the line ends', () => {
    const { privateKey = '', publicKey } = shown.readKey('2026-11') as KeyPairConfig;
    const asLine = (pem: unknown) => (pem as string).replaceAll('\n', '\\n');
    Object.assign(process.env, { SIGNING_KEY: asLine(privateKey), VERIFYING_KEY: asLine(publicKey) });
    const { tokens } = loadSnippet('tokens-from-environment.ts', PAGE) as { readonly tokens: Tokens };
    for (const name of ['SIGNING_KEY', 'VERIFYING_KEY']) Reflect.deleteProperty(process.env, name);
    expect(shown.readKey('2026-11')).to.have.property('privateKey').that.includes('\n');
    expect(tokens.verify(tokens.issue(AWA)).sub).to.equal(AWA.id);
  });

  it('shows a rotation that refuses no valid token in any process, at whatever moment each takes its step', () => {
    const time = freezeTime();
    const { tokens, readKey } = shown;
    const [current, next] = [readKey('2026-11'), readKey('2026-12')];
    const steps = stepsOfRotation();
    expect(steps.map(({ hours }) => hours)).to.deep.equal([1, 5, 0]);
    const rings = [[current]];
    const replaceKeys = (keys: readonly KeyConfig[]) => void rings.push([...keys]);
    for (const { take } of steps) take({ replaceKeys }, current, next);
    expect(rings.map((ring) => ring.map(({ kid }) => kid))).to.deep.equal([
      ['2026-11'],
      ['2026-11', '2026-12'],
      ['2026-12', '2026-11'],
      ['2026-12'],
    ]);
    let held: string[] = [];
    steps.forEach(({ hours }, index) => {
      for (const ring of [rings[index], rings[index + 1]]) {
        tokens.replaceKeys(ring ?? []);
        held.push(tokens.issue(AWA));
      }
      for (const ring of [rings[index], rings[index + 1]]) {
        tokens.replaceKeys(ring ?? []);
        for (const token of held) expect(tokens.verify(token).sub).to.equal(AWA.id);
      }
      time.pass(hours * 3600);
      held = held.filter((token) => Number(readToken(token).payload['exp']) * 1000 > Date.now());
    });
  });

  it('shows a router that publishes the public keys, for less time than a rotation waits', async () => {
    const { status, headers, json } = await (await publish()).send('GET', '/jwks.json');
    expect([status, json]).to.deep.equal([200, shown.tokens.jwks()]);
    expect(shown.tokens.jwks().keys.map(({ kid }) => kid)).to.deep.equal(['2026-11']);
    expect(headers['cache-control']).to.equal('public, max-age=300');
    expect(300).to.be.below((stepsOfRotation()[0]?.hours ?? 0) * 3600);
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

  it('shows how express-oauth2-jwt-bearer verifies the tokens, which cannot see a revocation', async () => {
    await publish();
    const { guard } = loadSnippet('verify-with-express.ts', PAGE) as { guard: RequestHandler };
    const letIn: RequestHandler = (_req, res) => void res.json('let in');
    const answer: ErrorRequestHandler = ({ status }: { status: number }, _req, res, _next) =>
      void res.sendStatus(status);
    const elsewhere = await serve(express().use(guard, letIn, answer));
    const { tokens } = shown;
    const userStore = accountStore();
    const own = await serve(express().use(requireBearer({ userStore, tokens }), authErrorHandler()));
    const get = async (client: typeof own, token: string) =>
      (await client.send('GET', '/', { headers: bearer(token) })).status;

    const token = tokens.issue(AWA);
    expect(await get(elsewhere, token)).to.equal(200);
    for (const bad of badTokens()) expect(await get(elsewhere, bad)).to.equal(401);

    userStore.put(withPassword({ ...AWA, disabled: true }));
    expect(await get(own, token)).to.equal(401);
    expect(await get(elsewhere, token)).to.equal(200);
  });
});
