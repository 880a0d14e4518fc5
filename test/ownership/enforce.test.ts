import { mock } from 'node:test';
import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import type { AuthEvent } from '../../src/index.js';
import { enforce } from '../../src/ownership/enforce.js';
import type { Guarded } from '../../src/ownership/merchant.js';
import { AWA } from '../helpers/accounts.js';
import {
  FOREIGN_REFERENCE,
  INVALID_BODY,
  INVALID_REFERENCE,
  LOST_BODY,
  MISSING_REFERENCE,
  UNREADABLE_BODY,
} from '../helpers/answers.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { recordEvents, withoutMembers } from '../helpers/events.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { type PaymentsConfig, servePayments } from '../helpers/payments.js';
import { rejectionOf } from '../helpers/thrown.js';

const FOREIGN = { refercence_cl: 'CNT-1002' };

describe('enforce', () => {
  const guardedBy = (reference: 'own' | 'reported' | 'unchecked') =>
    ({ merchant: { id: AWA.id }, settings: { realm: 'partner', reference } }) as unknown as Guarded;
  const request = () => ({ headers: {}, socket: {}, ip: '2001:db8:1:2::7' }) as never;
  const req = request();
  const failing = (error: unknown) => () => {
    throw error;
  };

  it('lets findings pass with reference "reported", and warns once of these and of unseen bodies', async () => {
    const warnings: unknown[][] = [];
    mock.method(process, 'emitWarning', (...args: unknown[]) => void warnings.push(args));
    const events = recordEvents();
    const codes = [FOREIGN_REFERENCE, INVALID_REFERENCE, MISSING_REFERENCE, UNREADABLE_BODY] as const;
    for (const code of [...codes, ...codes]) {
      await enforce(request(), guardedBy('reported'), failing(new AuthError(code, { detail: 'Parse it.' })));
    }
    events.splice(codes.length);
    expect(events.map((event) => withoutMembers(event, 'time'))).to.deep.equal(
      codes.map((reason) => ({
        type: 'ownership_refused',
        realm: 'partner',
        source: '2001:db8:1:2::/64',
        accountId: AWA.id,
        reason,
        enforced: false,
        detail: 'Parse it.',
        referenceNames: undefined,
      })),
    );
    expect(warnings).to.deep.equal([
      [
        'requireBearer let a request pass that it refuses without reference: "reported". The events ownership_refused ' +
          'with enforced: false name the merchants. Remove the option when these events have stopped.',
        { type: 'ExpressMerchantAuthWarning', code: 'EMA_REFERENCE_REPORTED' },
      ],
      ['Parse it.', { type: 'ExpressMerchantAuthWarning', code: 'EMA_UNREADABLE_BODY' }],
    ]);
  });

  it('reports and throws what the host has to fix, even with reference "reported"', async () => {
    const events = recordEvents();
    const error = new AuthError(LOST_BODY, { detail: 'Put it into req.body.' });
    const lost = { type: 'ownership_refused', reason: LOST_BODY, referenceNames: undefined };
    expect(await rejectionOf(enforce(req, guardedBy('reported'), failing(error)))).to.equal(error);
    expect(events.map((event) => withoutMembers(event, 'time', 'realm', 'source', 'accountId'))).to.deep.equal([
      { ...lost, enforced: true, detail: 'Put it into req.body.' },
    ]);
  });

  it('reports no source when it is undetermined', async () => {
    collectWarnings();
    const events = recordEvents();
    const trusting = { headers: {}, socket: { remoteAddress: '127.0.0.1' }, app: { get: () => true } } as never;
    await rejectionOf(enforce(trusting, guardedBy('own'), failing(new AuthError(FOREIGN_REFERENCE))));
    expect(events.map(({ type, source }) => [type, source])).to.deep.equal([['ownership_refused', undefined]]);
  });

  it('throws whatever else a check throws', async () => {
    const events = recordEvents();
    for (const error of [new AuthError(INVALID_BODY), new Error('getter'), undefined]) {
      expect(await rejectionOf(enforce(req, guardedBy('reported'), failing(error)))).to.equal(error);
    }
    expect(events).to.deep.equal([]);
  });

  it('reports and throws findings with any other setting, even behind a guard that is unchecked', async () => {
    const events = recordEvents();
    const error = new AuthError(FOREIGN_REFERENCE);
    for (const reference of ['own', 'unchecked'] as const) {
      for (const check of [failing(error), () => Promise.reject(error)]) {
        expect(await rejectionOf(enforce(req, guardedBy(reference), check))).to.equal(error);
      }
    }
    expect(events.map((event) => 'enforced' in event && event.enforced)).to.deep.equal([true, true, true, true]);
  });
});

onEachExpress('reference: "reported"', (framework) => {
  const { auth } = framework;
  let events: AuthEvent[];

  async function host(config: PaymentsConfig = {}) {
    collectWarnings();
    events = recordEvents(auth.onAuthEvent);
    return servePayments(framework, { ...config, guard: { reference: 'reported', ...config.guard } });
  }
  const reasons = () => events.map((event) => 'reason' in event && event.reason);

  it('lets each finding pass with its body, of the guard or of requireOwnReference, and reports the first', async () => {
    const { client, awa } = await host();
    for (const [method, path, body, ...found] of [
      ['POST', '/v1/guarded', FOREIGN, FOREIGN_REFERENCE],
      ['POST', '/v1/transactions', FOREIGN, FOREIGN_REFERENCE],
      ['POST', '/v1/merchants/CNT-1002', { amount: 1 }, FOREIGN_REFERENCE],
      ['POST', '/v1/guarded', { refercence_cl: 7 }, INVALID_REFERENCE],
      ['POST', '/v1/transactions', {}, MISSING_REFERENCE],
    ] as const) {
      events.length = 0;
      const answer = await client.send(method, path, { headers: awa, body });
      expect(answer.json, path).to.deep.equal({ id: AWA.id, referencl: 'BTQ-1001', body });
      expect(reasons()).to.deep.equal(found);
    }
  });

  it('reports a body that cannot be seen, and leaves it unread', async () => {
    const { client, awa } = await host({ behind: [framework.express.text({ type: () => true })] });
    const body = `refercence_cl=CNT-1002&${'x'.repeat(40_000)}`;
    for (const headers of [{ ...awa, 'Content-Type': 'application/x-www-form-urlencoded' }, awa]) {
      const answer = await client.send('POST', '/v1/guarded', { headers, body, chunked: true });
      expect(answer.json).to.deep.include({ body });
    }
    expect(reasons()).to.deep.equal([UNREADABLE_BODY, UNREADABLE_BODY]);
  });
});
