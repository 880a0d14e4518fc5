import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { refuse, writeJson } from '../../src/http/answer.js';
import { AuthError, type Respond } from '../../src/index.js';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import {
  expectForeignReference,
  expectMissingToken,
  expectWrongCredentials,
  FOREIGN_REFERENCE,
  MALFORMED_ACCOUNT,
  MISSING_TOKEN,
  STORE_UNAVAILABLE,
  WRONG_CREDENTIALS,
} from '../helpers/answers.js';
import { serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { settle } from '../helpers/until.js';

const passOn: Respond = (error, _req, _res, next) => next(error);

onEachExpress('respond', (framework) => {
  /** Provokes three refusals that `respond` writes: by the login, by the guard and by the ownership check. */
  async function refusals(respond: Respond) {
    const payments = await servePayments(framework, { login: { respond }, guard: { respond } });
    const { client, awa } = payments;
    const wrong = await client.send('POST', '/v1/login', { body: { email: AWA.email, password: `not ${PASSWORD}` } });
    const missing = await client.send('GET', '/v1/guarded');
    const foreign = await client.send('POST', '/v1/guarded', { headers: awa, body: { refercence_cl: 'CNT-1002' } });
    return { payments, wrong, missing, foreign };
  }

  it("that calls next still refuses, even without an error and with 'route' or 'router'", async () => {
    const words = [undefined, null, 'route', 'router', false];
    const responds = words.map(
      (word): Respond =>
        (_error, _req, _res, next) =>
          next(word),
    );
    for (const respond of [passOn, ...responds]) {
      const { payments, wrong, missing, foreign } = await refusals(respond);
      expectWrongCredentials(wrong);
      expectMissingToken(missing);
      expectForeignReference(foreign);
      const codes = payments.hostErrors.map((error) => (error as AuthError).code);
      expect(codes).to.deep.equal([WRONG_CREDENTIALS, MISSING_TOKEN, FOREIGN_REFERENCE]);
    }
  });
});

describe('respond', () => {
  it('that throws, rejects or calls next twice leads to one call of next, with an error', async () => {
    const failure = new Error('no template');
    const throws = () => {
      throw failure;
    };
    const throwsAfterNext: Respond = (error, _req, _res, next) => {
      next(error);
      throws();
    };
    const callsNextTwice: Respond = (error, _req, _res, next) => {
      next(error);
      next(error);
    };
    const responds: readonly (readonly [passedOn: string, respond: Respond])[] = [
      ['no template', throws],
      ['no template', () => Promise.reject(failure)],
      ['A value that is not an Error was thrown', () => Promise.reject('route')],
      ['A value that is not an Error was thrown', () => Promise.reject(undefined)],
      ['Token missing', throwsAfterNext],
      ['Token missing', callsNextTwice],
    ];
    for (const [message, respond] of responds) {
      const passedOn: unknown[] = [];
      refuse(new AuthError(MISSING_TOKEN), respond, {} as never, {} as never, (err) => passedOn.push(err));
      await settle();
      expect(passedOn.map((error) => (error as Error).message)).to.deep.equal([message]);
    }
  });

  it('does not lead to a second call of the host when the host itself throws', () => {
    let calls = 0;
    const hostThrows = () => {
      calls += 1;
      throw new Error('of the host');
    };
    expect(() => refuse(new Error('5xx'), passOn, {} as never, {} as never, hostThrows)).to.throw('of the host');
    refuse(new AuthError(MISSING_TOKEN), passOn, {} as never, {} as never, hostThrows);
    expect(calls).to.equal(2);
  });

  it('is not called for errors that the host must fix, and not for values that are not refusals', () => {
    const down = new AuthError(STORE_UNAVAILABLE);
    const malformed = new AuthError(MALFORMED_ACCOUNT);
    const bug = new Error('of the host');
    const passedOn: unknown[] = [];
    const respond = () => expect.fail('respond was called');
    for (const reason of [down, malformed, bug, 'route', undefined]) {
      refuse(reason, respond, {} as never, {} as never, (err) => passedOn.push(err));
    }
    expect(passedOn.slice(0, 3)).to.deep.equal([down, malformed, bug]);
    expect(passedOn.slice(3).map((error) => [String(error), (error as Error).cause])).to.deep.equal([
      ['Error: A value that is not an Error was thrown', 'route'],
      ['Error: A value that is not an Error was thrown', undefined],
    ]);
  });
});

describe('writeJson', () => {
  it('answers with the status, the text and its bytes, and with no other header', async () => {
    const client = await serve((_req: unknown, res: ServerResponse) => {
      writeJson(res, 401, '{"é":1}', { 'WWW-Authenticate': 'Bearer' });
    });
    const { status, headers, text } = await client.send('GET', '/');
    expect([status, text]).to.deep.equal([401, '{"é":1}']);
    expect(headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '8',
      'www-authenticate': 'Bearer',
    });
    expect(headers).to.have.all.keys('connection', 'content-length', 'content-type', 'date', 'www-authenticate');
  });
});
