import { expect } from 'chai';
import type { Express } from 'express';
import { createTokens, type InMemoryUserStore } from 'express-merchant-auth';
import { AWA, KOFI, PASSWORD, withPassword } from '../helpers/accounts.js';
import { type Answer, bearer, type Client, serve } from '../helpers/http.js';
import { tokenOf } from '../helpers/login-host.js';
import { loadSnippet, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/sandbox-and-live.md';

const SETTINGS = {
  DIGEST_KEY: 'a digest key of the tests, of 32 bytes or more',
  SANDBOX_SECRET: 'the secret of the sandbox, of 32 bytes or more',
  LIVE_SECRET: 'the secret of live, of 32 bytes or more',
};

const MODES = [
  { realm: 'sandbox', path: '/sandbox/v1', account: AWA },
  { realm: 'live', path: '/v1', account: { ...KOFI, id: AWA.id } },
] as const;

/** Asserts a 401 with this error and the challenge of this realm. */
function expectRefusal({ status, headers, json }: Answer, error: string, realm: string): void {
  expect(status).to.equal(401);
  expect(json).to.include({ code: 401, error });
  expect(headers['www-authenticate']).to.match(new RegExp(`^Bearer realm="${realm}"`));
}

describe(PAGE, () => {
  let app: Express;
  let client: Client;

  before('load its app, with another merchant under the same id in each mode', () => {
    writeSnippets(PAGE);
    Object.assign(process.env, SETTINGS);
    const shown = loadSnippet('modes.ts', PAGE) as {
      readonly app: Express;
      readonly sandboxStore: InMemoryUserStore;
      readonly liveStore: InMemoryUserStore;
    };
    for (const name of Object.keys(SETTINGS)) Reflect.deleteProperty(process.env, name);
    app = shown.app;
    shown.sandboxStore.put(withPassword(MODES[0].account));
    shown.liveStore.put(withPassword(MODES[1].account));
  });

  beforeEach('serve it', async () => {
    client = await serve(app);
  });

  const logIn = (path: string, email: string, password = PASSWORD) =>
    client.send('POST', `${path}/login`, { body: { email, password } });

  const tokenIn = async ({ path, account }: (typeof MODES)[number]) => tokenOf(await logIn(path, account.email));

  it('shows two modes, neither of which accepts the tokens of the other', async () => {
    for (const mode of MODES) {
      const other = MODES.find((one) => one !== mode) ?? mode;
      const headers = bearer(await tokenIn(mode));
      const pay = (path: string, refercence_cl: string) =>
        client.send('POST', `${path}/transactions`, { headers, body: { refercence_cl } });
      const own = await pay(mode.path, mode.account.marchand.referencl);
      expect([own.status, own.json]).to.deep.equal([
        201,
        { mode: mode.realm, refercence_cl: mode.account.marchand.referencl },
      ]);
      const refused = await pay(other.path, other.account.marchand.referencl);
      expectRefusal(refused, 'invalid_token', other.realm);
    }
  });

  it('shows two modes with accounts that do not log in to the other mode', async () => {
    for (const [mode, other] of [MODES, [MODES[1], MODES[0]]] as const) {
      expectRefusal(await logIn(mode.path, other.account.email), 'wrong_credentials', mode.realm);
    }
  });

  it('shows one throttle that counts the failures of each mode apart', async () => {
    const [sandbox, live] = MODES;
    const email = 'nobody@boutique.example';
    for (let guess = 0; guess < 10; guess++) await logIn(sandbox.path, email, 'not the password');
    expect((await logIn(sandbox.path, email)).status).to.equal(429);
    expectRefusal(await logIn(live.path, email), 'wrong_credentials', live.realm);
  });

  describe('says of two modes with one secret', () => {
    const secret = SETTINGS.LIVE_SECRET;
    const sandboxToken = (options: object) => createTokens({ realm: 'sandbox', secret, ...options }).issue(AWA);

    it('that the realm alone keeps their tokens apart', () => {
      const live = createTokens({ realm: 'live', secret });
      expect(() => live.verify(sandboxToken({})))
        .to.throw()
        .with.property('code', 'invalid_token');
    });

    it('that they accept the tokens of each other with one issuer', () => {
      const issuer = 'https://pay.example';
      const live = createTokens({ realm: 'live', secret, issuer });
      expect(live.verify(sandboxToken({ issuer })).sub).to.equal(AWA.id);
      const other = sandboxToken({ issuer: 'https://sandbox.pay.example' });
      expect(() => live.verify(other))
        .to.throw()
        .with.property('code', 'invalid_token');
    });
  });
});
