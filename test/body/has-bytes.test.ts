import http from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import express5, { type RequestHandler } from 'express';
import express4 from 'express4';
import { collectWarnings } from '../helpers/diagnostics.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { type Payments, servePayments } from '../helpers/payments.js';
import { settle, until } from '../helpers/until.js';

const OWN = 'BTQ-1001';

/** Starts a chunked request whose body the test sends piece by piece. */
function start({ client, awa }: Payments, path: string, headers: object = {}) {
  const options = { port: client.port, host: '127.0.0.1', method: 'POST', path, agent: false };
  const request = http.request({ ...options, headers: { ...awa, 'Transfer-Encoding': 'chunked', ...headers } });
  const answer = new Promise<{ status: number | undefined; json: unknown }>((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      const { statusCode: status } = response;
      text(response).then((body) => resolve({ status, json: JSON.parse(body) }), reject);
    });
  });
  request.flushHeaders();
  return { request, answer };
}

/** Makes a middleware that counts the requests whose headers have arrived. */
function counter() {
  const arrivals = { count: 0 };
  const count: RequestHandler = (_req, _res, next) => {
    arrivals.count += 1;
    next();
  };
  return { arrivals, count };
}

onEachExpress('a body without a type', (framework) => {
  it('is not empty when a listener in front has read it', async () => {
    collectWarnings();
    const { arrivals, count } = counter();
    const readAll: RequestHandler = (req, _res, next) => {
      req.on('readable', () => void req.read());
      next();
    };
    const { request, answer } = start(await servePayments(framework, { before: [readAll, count] }), '/v1/guarded');
    await until(() => arrivals.count === 1);
    await settle();
    request.end('refercence_cl=CNT-1002');
    expect(await answer).to.include({ status: 415 });
  });
});

onEachExpress('an announced body that is empty', (framework) => {
  const listener: RequestHandler = (req, _res, next) => {
    req.on('data', () => undefined);
    next();
  };
  const atEnd: RequestHandler = (req, res) => {
    req.on('end', () => res.json('ended')).resume();
  };
  const textBehind = ({ text: parse }: typeof express4): RequestHandler[] => [
    parse({ type: () => true }),
    (req, res) => void res.json({ text: req.body as unknown }),
  ];
  const behind: Readonly<Record<string, readonly RequestHandler[]>> = {
    'a handler that waits for the end': [atEnd],
    'a parser of body-parser 1': textBehind(express4),
    'a parser of body-parser 2': textBehind(express5),
  };

  for (const [title, handlers] of Object.entries(behind)) {
    for (const type of ['text/plain', 'application/json']) {
      for (const before of [[], [listener]]) {
        const where = before.length > 0 ? ', behind a data listener' : '';
        it(`is for ${title} as without the guard, with ${type}${where}`, async () => {
          for (const isLate of [false, true]) {
            const { arrivals, count } = counter();
            const answers: unknown[] = [];
            for (const isGuarded of [true, false]) {
              const payments = await servePayments(framework, {
                before: [count, ...before, ...(isGuarded ? [] : handlers)],
                behind: [framework.auth.requireOwnReference({ from: () => OWN }), ...handlers],
              });
              const { request, answer } = start(payments, '/v1/guarded', { 'Content-Type': type });
              if (isLate) {
                const previous = arrivals.count;
                await until(() => arrivals.count > previous);
                await settle();
              }
              request.end();
              answers.push(await answer);
            }
            expect(answers[0]).to.deep.equal(answers[1]).and.to.include({ status: 200 });
          }
        });
      }
    }
  }
});
