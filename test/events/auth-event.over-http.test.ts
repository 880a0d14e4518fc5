import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { createTokens } from '../../src/index.js';
import { AWA, WRONG } from '../helpers/accounts.js';
import { FOREIGN_REFERENCE, UNREADABLE_BODY } from '../helpers/answers.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { expectEvents, expectNoSecrets, recordEvents } from '../helpers/events.js';
import { bearer } from '../helpers/http.js';
import { serveLogin } from '../helpers/login-host.js';
import { FRAMEWORK } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';

describe('onAuthEvent', () => {
  it('reports a refused reference, and neither a broken body nor a request that passes', async () => {
    const tokens = createTokens({ realm: 'partner' });
    const token = tokens.issue(AWA);
    const headers = bearer(token);
    const { client } = await servePayments(FRAMEWORK, { guard: { tokens } });
    collectWarnings();
    const events = recordEvents();
    expect((await client.send('GET', '/v1/guarded', { headers })).status).to.equal(200);
    const json = { ...headers, 'Content-Type': 'application/json' };
    expect((await client.send('POST', '/v1/guarded', { headers: json, body: '{' })).status).to.equal(400);
    await client.send('GET', '/v1/merchants/CNT-1002', { headers });
    await client.send('POST', '/v1/guarded', { headers, body: 'a=1' });
    const refused = {
      type: 'ownership_refused',
      realm: 'partner',
      source: '127.0.0.1',
      accountId: AWA.id,
      enforced: true,
    };
    expectEvents(
      events,
      { ...refused, reason: FOREIGN_REFERENCE, referenceNames: ['refercence_cl'] },
      { ...refused, reason: UNREADABLE_BODY, referenceNames: undefined },
    );
    expect(events.map((event) => 'detail' in event && event.detail)).to.deep.equal([
      'This refercence_cl is not yours. Send the marchand.referencl of your login.',
      'The guard cannot see this body. Parse it before the guard, or guard with reference: "unchecked" and mount ' +
        'requireOwnReference() after the parser.',
    ]);
    expectNoSecrets(events, AWA.email, ...token.split('.'), 'CNT-1002');
  });

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
});
