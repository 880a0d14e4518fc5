import { expect } from 'chai';
import type { UserStore } from '../../src/index.js';
import { createGuard, createLoginThrottle, createTokens } from '../../src/index.js';
import { accountStore, AWA } from '../helpers/accounts.js';
import { ACCOUNT_DISABLED, expectRevokedToken, SOURCE_NOT_ALLOWED } from '../helpers/answers.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { expectEvents, recordEvents } from '../helpers/events.js';
import { bearer } from '../helpers/http.js';
import { type LoginHostConfig, serveLogin } from '../helpers/login-host.js';
import { FRAMEWORK } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { QUICK_HASH } from '../helpers/quick-passwords.js';
import { expectAuthError, rejectionOf } from '../helpers/thrown.js';

const ALLOWED = '203.0.113.7';
const OTHER = '198.51.100.9';
const THIRD = '198.51.100.10';
const REFUSED = { type: 'source_refused', realm: 'merchant', accountId: AWA.id };

/** The answer to a caller whose address is not in the list, or that has no address. */
function refusalTo(address?: string): string {
  const description =
    address === undefined
      ? 'This account may be used from certain addresses only, and the service cannot see yours. Tell its operator.'
      : `This account may not be used from your address, ${address}. Ask the operator of this service to add it.`;
  return (
    `{"status":"Error","success":false,"code":403,"error":"${SOURCE_NOT_ALLOWED}","message":"Address not allowed",` +
    `"description":"${description}"}`
  );
}

describe('allowedSources at login', () => {
  /** A host of one account that may be used from `ALLOWED` and from a network. */
  function serveOne(config: LoginHostConfig = {}, account: object = {}) {
    const found = { ...AWA, allowedSources: [ALLOWED, '2001:db8::/64'], ...account };
    const findCredentials: UserStore['findCredentials'] = (identifier) =>
      Promise.resolve(identifier === AWA.email ? { account: found, passwordHash: QUICK_HASH } : null);
    return serveLogin({ store: { findCredentials }, ...config });
  }

  it('refuses the right password from any other address, unless the account is disabled', async () => {
    const events = recordEvents();
    const { logIn } = await serveOne();
    expect((await logIn(AWA.email, undefined, ALLOWED)).status).to.equal(200);
    const answer = await logIn(AWA.email, undefined, OTHER);
    expect([answer.status, answer.text]).to.deep.equal([403, refusalTo(OTHER)]);
    expectEvents(events.slice(1), { ...REFUSED, source: OTHER });
    const disabled = await serveOne({}, { disabled: true });
    expect((await disabled.logIn(AWA.email, undefined, OTHER)).json).to.include({ error: ACCOUNT_DISABLED });
  });

  it('refuses an undetermined address, even when the list has that of the peer', async () => {
    collectWarnings();
    const { logIn } = await serveOne({ trustProxy: true }, { allowedSources: ['127.0.0.1'] });
    const answer = await logIn();
    expect([answer.status, answer.text]).to.deep.equal([403, refusalTo()]);
  });

  it('neither counts nor clears, and makes no source known', async () => {
    const limits = { emailAndSource: { failures: 2, seconds: 900 }, email: { failures: 3, seconds: 900 } };
    const { logIn, fail } = await serveOne({ throttle: createLoginThrottle(limits) });
    const refused = async () => expect((await logIn(AWA.email, undefined, OTHER)).status).to.equal(403);
    await fail(1, AWA.email, OTHER);
    await refused();
    await fail(1, AWA.email, OTHER);
    expect((await logIn(AWA.email, undefined, OTHER)).status).to.equal(429);
    await fail(1, AWA.email, THIRD);
    // The email is at its limit, which does not stop a known source.
    expect((await logIn(AWA.email, undefined, '198.51.100.11')).status).to.equal(429);
  });
});

describe('allowedSources at the guard', () => {
  it('is read with the account on each request, after revocation', async () => {
    const { store, client, awa } = await servePayments(FRAMEWORK);
    const ask = () => client.send('GET', '/v1/guarded', { headers: awa });
    const put = (change: object) => store.put({ ...AWA, passwordHash: QUICK_HASH, ...change });
    put({ allowedSources: ['127.0.0.0/8'] });
    expect((await ask()).status).to.equal(200);
    put({ allowedSources: [] });
    const events = recordEvents();
    const refused = await ask();
    expect([refused.status, refused.text]).to.deep.equal([403, refusalTo()]);
    expectEvents(events, { ...REFUSED, source: '127.0.0.1' });
    put({ allowedSources: [], disabled: true });
    expectRevokedToken(await ask());
  });

  it('reads the address before the store, because a caller that leaves meanwhile has none any more', async () => {
    const read: string[] = [];
    const { Authorization: authorization } = bearer(createTokens().issue(AWA));
    const findById: UserStore['findById'] = () => {
      read.push('account');
      return Promise.resolve({ ...AWA, allowedSources: ['127.0.0.1'] });
    };
    const socket = {
      get remoteAddress() {
        read.push('address');
        return '127.0.0.1';
      },
    };
    const guard = createGuard({ userStore: { findById, findCredentials: () => Promise.resolve(null) } });
    await guard.authenticate({ headers: { authorization }, socket } as never);
    expect(read.slice(0, 2)).to.deep.equal(['address', 'account']);
  });

  it('takes the address that the host gives to authenticate', async () => {
    const store = accountStore();
    store.put({ ...AWA, passwordHash: QUICK_HASH, allowedSources: [ALLOWED] });
    const guard = createGuard({ userStore: store });
    const { Authorization: authorization } = bearer(createTokens().issue(AWA));
    const req = { headers: { authorization }, socket: { remoteAddress: '127.0.0.1' } } as never;
    expect(await guard.authenticate(req, { source: ALLOWED })).to.include({ id: AWA.id });
    const refused = guard.authenticate(req, { source: OTHER });
    expectAuthError(await rejectionOf(refused), SOURCE_NOT_ALLOWED);
  });
});
