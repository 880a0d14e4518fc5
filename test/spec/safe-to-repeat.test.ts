import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { catalogue } from '../../src/errors/catalogue.js';
import type { Respond } from '../../src/index.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { refusalsIn, serveRefusingHost, transact } from '../helpers/refusals.js';

const CODES = Object.keys(catalogue);

const RESPONDS: Readonly<Record<string, Respond | undefined>> = {
  'the default respond': undefined,
  'next(error)': (error, _req, _res, next) => next(error),
  'next()': (_error, _req, _res, next) => next(),
  "next('route')": (_error, _req, _res, next) => next('route'),
};

/** A refusal with a code means that no handler ran, so that a client can repeat the request. */
onEachExpress('Safe to repeat', (framework) => {
  /** Serves a host that refuses everything with `respond`, and counts the runs of its handlers, which call `res.json`. */
  async function serveHost(respond: Respond | undefined) {
    const host = { runs: 0 };
    const count: RequestHandler = (_req, res, next) => {
      const json = res.json.bind(res);
      res.json = (body) => {
        host.runs += 1;
        return json(body);
      };
      next();
    };
    const options = { before: [count], ...(respond && { respond }) };
    return Object.assign(host, await serveRefusingHost(framework, 'merchant', options));
  }

  it('runs the handler for a request that passes', async () => {
    const host = await serveHost(undefined);
    expect([(await transact(host, { refercence_cl: 'BTQ-1001' })).status, host.runs]).to.deep.equal([200, 1]);
  });

  for (const [name, respond] of Object.entries(RESPONDS)) {
    it(`runs no handler after any refusal, with ${name}`, async () => {
      for (const [, send] of refusalsIn(framework)) {
        const host = await serveHost(respond);
        const { json } = await send(host);
        expect(json).to.have.property('error').oneOf(CODES);
        expect(host.runs, JSON.stringify(json)).to.equal(0);
      }
    });
  }
});
