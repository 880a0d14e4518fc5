import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { refuse, writeJson } from '../../src/http/answer.js';
import { AuthError, type Respond } from '../../src/index.js';
import { MALFORMED_ACCOUNT, MISSING_TOKEN, STORE_UNAVAILABLE } from '../helpers/answers.js';
import { serve } from '../helpers/http.js';
import { settle } from '../helpers/until.js';

const passOn: Respond = (error, _req, _res, next) => next(error);

describe('respond', () => {
  it("that throws, rejects, or calls next twice, without an error or with 'route', leads to one call of next with an error", async () => {
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
      ...[undefined, null, 'route', 'router', false].map(
        (word) => ['Token missing', (_error, _req, _res, next) => next(word)] as [string, Respond],
      ),
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
