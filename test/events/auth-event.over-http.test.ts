import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { createTokens } from '../../src/index.js';
import { AWA, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import { FOREIGN_REFERENCE, INVALID_REFERENCE, MISSING_REFERENCE, UNREADABLE_BODY } from '../helpers/answers.js';
import { expectEvents, expectNoSecrets, listenUntilTheEnd, recordEvents } from '../helpers/events.js';
import { FRAMEWORK } from '../helpers/framework.js';
import { PHC_OF_PASSWORD } from '../helpers/hashes.js';
import { bearer } from '../helpers/http.js';
import { serveLogin } from '../helpers/login-host.js';
import { servePayments } from '../helpers/payments.js';
import { QUICK_HASH } from '../helpers/quick-passwords.js';
import { collectWarnings } from '../helpers/warnings.js';

/** The texts that no event may hold. */
const SECRETS = [PASSWORD, WRONG, PHC_OF_PASSWORD, QUICK_HASH, AWA.email, KOFI.email];

describe('onAuthEvent, at a guard', () => {
  const tokens = createTokens({ realm: 'partner' });
  const token = tokens.issue(AWA);
  const awa = bearer(token);
  const THERE = { realm: 'partner', source: '127.0.0.1' };

  it('reports a refused reference with the reason, of the guard and of requireOwnReference', async () => {
    const { client } = await servePayments(FRAMEWORK, { guard: { tokens } });
    collectWarnings();
    const events = recordEvents();
    await client.send('GET', '/v1/transactions', { headers: awa });
    await client.send('GET', '/v1/guarded?refercence_cl=BTQ-1001&refercence_cl=BTQ-1001', { headers: awa });
    await client.send('GET', '/v1/guarded?refercence_cl=CNT-1002', { headers: awa });
    await client.send('GET', '/v1/merchants/CNT-1002', { headers: awa });
    await client.send('POST', '/v1/guarded', { headers: awa, body: 'a=1' });
    const named = { referenceNames: ['refercence_cl'] };
    const refused = { type: 'ownership_refused', ...THERE, accountId: AWA.id, enforced: true };
    expectEvents(
      events,
      { ...refused, ...named, reason: MISSING_REFERENCE },
      { ...refused, ...named, reason: INVALID_REFERENCE },
      { ...refused, ...named, reason: FOREIGN_REFERENCE },
      { ...refused, ...named, reason: FOREIGN_REFERENCE },
      { ...refused, reason: UNREADABLE_BODY, referenceNames: undefined },
    );
    expect(events.map((event) => 'detail' in event && event.detail).slice(-2)).to.deep.equal([
      'This refercence_cl is not yours. Send the marchand.referencl of your login.',
      'The guard cannot see this body. Parse it before the guard, or guard with reference: "unchecked" and mount ' +
        'requireOwnReference() after the parser.',
    ]);
    expectNoSecrets(events, ...SECRETS, ...token.split('.'), 'CNT-1002');
  });

  it('does not report a request that passes, and neither a broken body', async () => {
    const { client } = await servePayments(FRAMEWORK, { guard: { tokens } });
    const events = recordEvents();
    expect((await client.send('GET', '/v1/guarded', { headers: awa })).status).to.equal(200);
    const json = { ...awa, 'Content-Type': 'application/json' };
    expect((await client.send('POST', '/v1/guarded', { headers: json, body: '{' })).status).to.equal(400);
    expect(events).to.deep.equal([]);
  });
});

describe('onAuthEvent', () => {
  it('gives the source as the throttle counts it, and undefined behind an unknown proxy', async () => {
    collectWarnings();
    const events = recordEvents();
    for (const trustProxy of ['loopback', false]) {
      const set: RequestHandler = (req, _res, next) => {
        req.app.set('trust proxy', trustProxy);
        next();
      };
      const { client } = await servePayments(FRAMEWORK, { before: [set] });
      await client.send('GET', '/v1/guarded', { headers: { 'X-Forwarded-For': '2001:db8:1:2:3:4:5:6' } });
      await (await serveLogin({ trustProxy })).logIn(AWA.email, WRONG, '2001:db8:1:2:3:4:5:6');
    }
    const sources = ['2001:db8:1:2::/64', '2001:db8:1:2::/64', undefined, undefined];
    expect(events.map(({ source }) => source)).to.deep.equal(sources);
  });

  it('calls the listener before the answer is written', async () => {
    const order: string[] = [];
    const watch: RequestHandler = (_req, res, next) => {
      const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => typeof res;
      res.writeHead = (...args: unknown[]) => {
        order.push('answer');
        return writeHead(...args);
      };
      next();
    };
    const { client } = await servePayments(FRAMEWORK, { before: [watch] });
    const host = await serveLogin({ before: [watch] });
    listenUntilTheEnd(({ type }) => order.push(type));
    await client.send('GET', '/v1/guarded');
    await host.logIn();
    await host.logIn(AWA.email, WRONG);
    expect(order).to.deep.equal(['token_refused', 'answer', 'login_succeeded', 'answer', 'login_failed', 'answer']);
  });
});
