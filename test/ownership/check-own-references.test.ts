import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import type { Body } from '../../src/body/read-body.js';
import type { AuthError } from '../../src/index.js';
import { checkOwnReferences } from '../../src/ownership/check-own-references.js';
import { FOREIGN_REFERENCE, INVALID_REFERENCE } from '../helpers/answers.js';
import { guardedBy } from './guarded.js';

const OWN = 'BTQ-1001';

/** Returns the code with which a request is refused. */
function codeFor(
  request: object,
  names?: readonly string[],
  body: Body = { kind: 'none' },
): Promise<string | undefined> {
  const { merchant, settings } = guardedBy(OWN, names);
  const guarded = { merchant, settings: { ...settings, readBody: () => Promise.resolve(body) } };
  const req = Object.assign(new IncomingMessage(new Socket()), request);
  return checkOwnReferences(req, new ServerResponse(req), guarded).then(
    () => undefined,
    (error: unknown) => (error as AuthError).code,
  );
}

describe('headers and cookies', () => {
  it('are checked under the exact names, a header in lower case', async () => {
    const places = [
      (name: string, value: unknown) => ({ headers: { [name.toLowerCase()]: value } }),
      (name: string, value: unknown) => ({ cookies: { [name]: value } }),
      (name: string, value: unknown) => ({ signedCookies: { [name]: value } }),
    ];
    for (const place of places) {
      for (const names of [undefined, ['wallet', 'merchantId']]) {
        const name = names?.[1] ?? 'refercence_cl';
        expect(await codeFor(place(name, OWN), names), name).to.equal(undefined);
        expect(await codeFor(place(name, 'CNT-1002'), names), name).to.equal(FOREIGN_REFERENCE);
        expect(await codeFor(place(name, [OWN]), names), name).to.equal(INVALID_REFERENCE);
        expect(await codeFor(place(`x-${name}`, 'CNT-1002'), names), name).to.equal(undefined);
        expect(await codeFor(place(name.replace(/_|I/, '-'), 'CNT-1002'), names), name).to.equal(undefined);
      }
    }
    expect(await codeFor({ cookies: { merchantid: 'CNT-1002' } }, ['merchantId'])).to.equal(undefined);
  });
});

describe('the body', () => {
  it('is checked whatever the method is', async () => {
    const body: Body = { kind: 'value', value: { refercence_cl: 'CNT-1002' } };
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      expect(await codeFor({ method }, undefined, body), method).to.equal(FOREIGN_REFERENCE);
    }
  });
});

describe('JSON in the parsed query', () => {
  it('is checked, even where the URL does not have it', async () => {
    const variables = JSON.stringify({ refercence_cl: 'CNT-1002' });
    for (const query of [{ variables }, { filter: [{ a: variables }] }]) {
      expect(await codeFor({ query })).to.equal(FOREIGN_REFERENCE);
    }
    expect(await codeFor({ query: { variables: JSON.stringify({ refercence_cl: OWN }) } })).to.equal(undefined);
    expect(await codeFor({ params: { variables } })).to.equal(undefined);
  });
});

describe('the query of a URL that a middleware has changed', () => {
  const { merchant, settings } = guardedBy('BTQ-1001');
  const guarded = { merchant, settings: { ...settings, readBody: () => Promise.resolve({ kind: 'none' as const }) } };
  let reads = 0;
  class ExpressRequest extends IncomingMessage {
    get query() {
      reads += 1;
      return {};
    }
  }
  const check = (originalUrl: string, url: string) => {
    const req = Object.assign(new ExpressRequest(new Socket()), { originalUrl, url });
    return checkOwnReferences(req, new ServerResponse(req), guarded).then(
      () => 'passed',
      (error: unknown) => (error as AuthError).code,
    );
  };

  it('is checked, even when the original URL ends with the new one', async () => {
    const foreign = '/v1/pay/BTQ-1001?refercence_cl=CNT-1002';
    for (const originalUrl of [`/go?to=${foreign}`, `/go?${foreign}`, '/go', '/go?refercence_cl=BTQ-1001', foreign]) {
      expect(await check(originalUrl, foreign), originalUrl).to.equal(FOREIGN_REFERENCE);
    }
    expect(await check('/go?to=/v1/pay', foreign.replace('CNT-1002', 'BTQ-1001'))).to.equal('passed');
    expect(await check(foreign, '/pay')).to.equal(FOREIGN_REFERENCE);
  });

  it('is read only if one of the two has a query, because Express 5 parses it at each read', async () => {
    for (const [originalUrl, url, isRead] of [
      ['/go', '/pay', false],
      ['/go?a=1', '/pay', true],
      ['/go', '/pay?a=1', true],
    ] as const) {
      reads = 0;
      expect(await check(originalUrl, url)).to.equal('passed');
      expect(reads > 0, `${originalUrl} ${url}`).to.equal(isRead);
    }
  });
});
