import { expect } from 'chai';
import express, { type Express, type Request } from 'express';
import { createTokens, InMemoryUserStore, requireBearer } from 'express-merchant-auth';
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

  it('says of two modes with one secret that one issuer makes them accept the tokens of each other', () => {
    const secret = SETTINGS.LIVE_SECRET;
    for (const [issuers, isAccepted] of [
      [['https://pay.example', 'https://pay.example'], true],
      [['https://pay.example', 'https://sandbox.pay.example'], false],
      [[undefined, undefined], false],
    ] as const) {
      const [live, sandbox] = issuers.map((issuer, index) =>
        createTokens({ realm: index === 0 ? 'live' : 'sandbox', secret, ...(issuer && { issuer }) }),
      );
      const verify = () => live?.verify(sandbox?.issue(AWA) ?? '').sub;
      if (isAccepted) expect(verify()).to.equal(AWA.id);
      else expect(verify).to.throw().with.property('code', 'invalid_token');
    }
  });

  it('shows a flag of the merchant, which sends its payments elsewhere from the next request on', async () => {
    const { operatorOf } = loadSnippet('test-flag.ts', PAGE) as { operatorOf: (req: Request) => string };
    const userStore = new InMemoryUserStore();
    const flag = (isTest?: boolean) => userStore.put({ ...withPassword(AWA), ...(isTest !== undefined && { isTest }) });
    const flagged = express().use(requireBearer({ userStore }), (req, res) => void res.json(operatorOf(req)));
    const host = await serve(flagged);
    const headers = bearer(createTokens().issue(AWA));
    for (const [isTest, operator] of [
      [true, 'simulator'],
      [false, 'operator'],
      [undefined, 'simulator'],
    ] as const) {
      flag(isTest);
      expect((await host.send('GET', '/', { headers })).json).to.equal(operator);
    }
  });
});
