import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import * as auth from '../../src/index.js';
import { accountStore, AWA, FERMEE, KOFI, withPassword } from '../helpers/accounts.js';
import {
  EXPIRED_TOKEN,
  INVALID_TOKEN,
  MISSING_TOKEN,
  REVOKED_TOKEN,
  SOURCE_NOT_ALLOWED,
  STORE_UNAVAILABLE,
} from '../helpers/answers.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { expectEvents, recordEvents } from '../helpers/events.js';
import { bearer, type Client, type Sending, serve } from '../helpers/http.js';
import { expectAuthError, expectTypeError, rejectionOf, thrownBy } from '../helpers/thrown.js';

/** Serves a guard without Express. The handler has the request and the promise of `authenticate`. */
function serveGuard(
  guard: auth.Guard,
  handle: (req: IncomingMessage, merchant: Promise<auth.Merchant>) => unknown,
  source?: string,
): Promise<Client> {
  return serve((req: IncomingMessage, res: { end(text: string): void }) => {
    const merchant = guard.authenticate(req, { source });
    Promise.resolve(handle(req, merchant)).then(
      (result) => res.end(JSON.stringify(result)),
      (error: unknown) => res.end(String(error)),
    );
  });
}

/** Returns the error with which a guard refuses a request. */
async function refusalOf(guard: auth.Guard, sending: Sending, source?: string): Promise<unknown> {
  let refusal: unknown;
  const client = await serveGuard(
    guard,
    async (_req, merchant) => {
      refusal = await rejectionOf(merchant);
    },
    source,
  );
  await client.send('GET', '/', sending);
  return refusal;
}

describe('createGuard', () => {
  const awa = () => bearer(auth.createTokens().issue(AWA));

  it('resolves to the merchant of a request that did not pass Express, as its account is now, with a frozen object', async () => {
    const userStore = accountStore();
    const now = { ...AWA, marchand: { referencl: 'BTQ-2002', statut: 1 } };
    userStore.put(withPassword(now));
    const guard = auth.createGuard({ userStore });
    const client = await serveGuard(guard, async (_req, authenticated) => {
      const merchant = await authenticated;
      expect(Object.isFrozen(merchant)).to.equal(true);
      expect(merchant.account).to.deep.include(now);
      expect(merchant.claims).to.include({ sub: AWA.id, referencl: 'BTQ-1001' });
      const { id, referencl } = merchant;
      return { id, referencl };
    });
    const answer = await client.send('GET', '/', { headers: awa() });
    expect(answer.json).to.deep.equal({ id: AWA.id, referencl: 'BTQ-2002' });
  });

  it('trusts the token alone without a store', async () => {
    const client = await serveGuard(auth.createGuard(), async (_req, merchant) => {
      const { id, referencl, account } = await merchant;
      return { id, referencl, account };
    });
    const answer = await client.send('GET', '/', { headers: bearer(auth.createTokens().issue(FERMEE)) });
    expect(answer.json).to.deep.equal({ id: FERMEE.id, referencl: 'ANC-1003', account: null });
  });

  it('reads the accounts of requests that arrive together in one call of findByIds', async () => {
    const calls: (readonly string[])[] = [];
    const guard = auth.createGuard({
      userStore: {
        findCredentials: () => Promise.resolve(null),
        findById: () => Promise.reject(new Error('called for one of several')),
        findByIds(ids) {
          calls.push(ids);
          return Promise.resolve([FERMEE, KOFI, AWA]);
        },
      },
    });
    const tokens = auth.createTokens();
    const authenticate = (account: auth.MerchantAccount) =>
      guard.authenticate({ headers: { authorization: bearer(tokens.issue(account)).Authorization } } as never);
    const [fermee, awa, kofi] = [rejectionOf(authenticate(FERMEE)), authenticate(AWA), authenticate(KOFI)];
    expect(await awa).to.include({ id: AWA.id, referencl: AWA.marchand.referencl });
    expect(await kofi).to.include({ id: KOFI.id, referencl: KOFI.marchand.referencl });
    expectAuthError(await fermee, REVOKED_TOKEN);
    expect(calls).to.deep.equal([[FERMEE.id, AWA.id, KOFI.id]]);
  });

  it('calls a verify that the host replaces later', async () => {
    const tokens = auth.createTokens();
    const guard = auth.createGuard({ tokens });
    tokens.verify = () => {
      throw new auth.AuthError(EXPIRED_TOKEN);
    };
    expectAuthError(await refusalOf(guard, { headers: awa() }), EXPIRED_TOKEN);
  });

  it('rejects with the error of each step, and reports each once with the realm and the account', async () => {
    const events = recordEvents();
    const tokens = auth.createTokens({ realm: 'agents' });
    const userStore = accountStore();
    const guard = auth.createGuard({ userStore, tokens, storeTimeoutMs: 20 });
    const headers = bearer(tokens.issue(AWA));
    const missing = expectAuthError(await refusalOf(guard, {}), MISSING_TOKEN);
    expect(missing.headers).to.deep.equal({ 'WWW-Authenticate': 'Bearer realm="agents"' });
    expectAuthError(await refusalOf(guard, { headers: awa() }), INVALID_TOKEN);
    const past = auth.createTokens({ realm: 'agents', clock: () => Date.now() - 18_001_000 }).issue(AWA);
    expectAuthError(await refusalOf(guard, { headers: bearer(past) }), EXPIRED_TOKEN);
    userStore.put(withPassword({ ...AWA, disabled: true }));
    expectAuthError(await refusalOf(guard, { headers }), REVOKED_TOKEN);
    userStore.findById = () => new Promise(() => undefined);
    const { cause } = expectAuthError(await refusalOf(guard, { headers }), STORE_UNAVAILABLE);
    const refused = { type: 'token_refused', realm: 'agents', source: '127.0.0.1' };
    expectEvents(
      events,
      { ...refused, reason: MISSING_TOKEN, accountId: undefined },
      { ...refused, reason: INVALID_TOKEN, accountId: undefined },
      { ...refused, reason: EXPIRED_TOKEN, accountId: undefined },
      { ...refused, reason: REVOKED_TOKEN, accountId: AWA.id },
      { ...refused, type: 'store_failed', reason: STORE_UNAVAILABLE, cause },
    );
  });

  it('reports the source that it is given, as the throttle counts it', async () => {
    const events = recordEvents();
    const warnings = collectWarnings();
    const proxied = { headers: { 'X-Forwarded-For': '192.0.2.1' } };
    for (const source of ['203.0.113.7:4711', '[2001:db8:1:2:3::4]:80', 'unknown', '']) {
      await refusalOf(auth.createGuard(), proxied, source);
    }
    const sources = ['203.0.113.7', '2001:db8:1:2::/64', undefined, undefined];
    expect(events.map(({ source }) => source)).to.deep.equal(sources);
    expect(warnings).to.deep.equal(['The source that guard.authenticate got is not an address.']);
  });

  it('refuses an undetermined address for a list, even when the list has that of the peer', async () => {
    collectWarnings();
    const userStore = accountStore();
    userStore.put(withPassword({ ...AWA, allowedSources: ['127.0.0.1'] }));
    const trusting = { socket: { remoteAddress: '127.0.0.1' }, app: { get: () => true } };
    const req = { headers: { authorization: awa().Authorization }, ...trusting };
    const refused = auth.createGuard({ userStore }).authenticate(req as never);
    expectAuthError(await rejectionOf(refused), SOURCE_NOT_ALLOWED);
  });

  it('determines the source only for a list or a listener, and once for both', async () => {
    let reads = 0;
    const authenticate = (headers: object, allowedSources?: readonly string[]) => {
      const userStore = accountStore();
      userStore.put(withPassword({ ...AWA, ...(allowedSources && { allowedSources }) }));
      const socket = { remoteAddress: '127.0.0.1' };
      const req = {
        rawHeaders: [],
        headers,
        socket,
        get ip() {
          reads += 1;
          return '2001:db8:1:2::7';
        },
      };
      return auth.createGuard({ userStore }).authenticate(req as never);
    };
    const good = { authorization: awa().Authorization };
    await authenticate(good);
    expectAuthError(await rejectionOf(authenticate({})), MISSING_TOKEN);
    expect(reads).to.equal(0);
    await authenticate(good, ['2001:db8:1:2::7']);
    expect(reads).to.equal(1);
    const events = recordEvents();
    expectAuthError(await rejectionOf(authenticate(good, ['192.0.2.1'])), SOURCE_NOT_ALLOWED);
    expect(reads).to.equal(2);
    expectAuthError(await rejectionOf(authenticate({})), MISSING_TOKEN);
    expect(reads).to.equal(3);
    expect(events.map(({ source }) => source)).to.deep.equal(['2001:db8:1:2::/64', '2001:db8:1:2::/64']);
  });

  it('looks at no reference, leaves the body unread, and sets no caller', async () => {
    const guard = auth.createGuard({ userStore: accountStore() });
    const client = await serveGuard(guard, async (req, merchant) => {
      const { id } = await merchant;
      expect(req.readableDidRead).to.equal(false);
      expect(req).not.to.have.property('user');
      expect(thrownBy(() => auth.merchantOf(req))).to.be.instanceOf(TypeError);
      return id;
    });
    const foreign = KOFI.marchand.referencl;
    const sending = { headers: awa(), body: { refercence_cl: foreign } };
    expect((await client.send('POST', `/?refercence_cl=${foreign}`, sending)).json).to.equal(AWA.id);
  });

  it('throws at construction for a wrong option', () => {
    const known = 'Known options: userStore, tokens, storeTimeoutMs.';
    const create = () => auth.createGuard({ reference: 'own' } as never);
    expectTypeError(create, `createGuard: unknown option "reference". ${known}`);
  });
});
