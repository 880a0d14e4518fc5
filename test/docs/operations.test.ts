import { expect } from 'chai';
import express, { type ErrorRequestHandler } from 'express';
import { createPasswords, createTokens, requireBearer } from 'express-merchant-auth';
import { openMetrics } from '../../example-app/src/operations/metrics.js';
import { AWA } from '../helpers/accounts.js';
import { expectStoreUnavailable, MISSING_TOKEN, STORE_UNAVAILABLE } from '../helpers/answers.js';
import { bearer, clientOf, serve } from '../helpers/http.js';
import { printedBy } from '../helpers/diagnostics.js';
import { loadSnippet, readPage, writeSnippets } from '../helpers/snippets.js';
import { list, logIn } from '../example-app/calls.js';
import { serveApp } from '../example-app/serve-app.js';

const PAGE = 'docs/operations.md';

interface TelemetrySnippet {
  readonly countAuthEvents: (meter: object) => () => void;
}

describe(PAGE, () => {
  before(() => void writeSnippets(PAGE));

  describe('has for the metrics of the app', () => {
    let text: string;

    before('read the metrics', async () => {
      const metrics = await openMetrics(createPasswords(), 0);
      ({ text } = await clientOf(Number(new URL(metrics.url).port)).send('GET', '/metrics'));
      metrics.close();
    });

    it('a list of all but those of Node.js', () => {
      const served = [...text.matchAll(/^# TYPE ((?:merchant|http)_\S+)/gm)].map(([, name]) => name);
      const listed = [...readPage(PAGE).matchAll(/^- `((?:merchant|http)_\w+)`/gm)].map(([, name]) => name);
      expect(served).to.have.length(6).and.have.members(listed);
    });

    it('rules for Prometheus, whose metrics and labels exist from the start', () => {
      const expressions = readPage('docs/prometheus-rules.yml')
        .split(/^ +expr: /m)
        .slice(1);
      expect(expressions).to.have.length(8);
      for (const rule of expressions) {
        const [expression = ''] = rule.split(/^ +(?:for|annotations):/m);
        const selectors = [...expression.matchAll(/\b((?:merchant|http)_\w+)(?:\{(\w+)(=~?|!=)"([^"]+)"\})?/g)];
        expect(selectors, rule).not.to.have.length(0);
        for (const [, name = '', label, operator, values = ''] of selectors) {
          expect(text, rule).to.match(new RegExp(`^${name}[ {]`, 'm'));
          for (const value of operator === '!=' || label === undefined ? [] : values.split('|')) {
            expect(text, rule).to.match(new RegExp(`^${name}\\{.*\\b${label}="${value}".*\\} 0$`, 'm'));
          }
        }
      }
    });
  });

  it('shows a log of errors with the request, the detail and the cause', async () => {
    const { errorHandler } = loadSnippet('error-log.ts', PAGE) as { errorHandler: ErrorRequestHandler };
    const away = new Error('the database is away');
    const userStore = { findCredentials: () => Promise.resolve(null), findById: () => Promise.reject(away) };
    const client = await serve(express().use(requireBearer({ userStore }), errorHandler));
    const printed = await printedBy('error', async () => {
      const answer = await client.send('GET', '/payments', { headers: bearer(createTokens().issue(AWA)) });
      expectStoreUnavailable(answer);
    });
    expect(printed).to.deep.equal([['GET', '/payments', STORE_UNAVAILABLE, 'UserStore.findById failed.', away]]);
  });

  it('shows how OpenTelemetry counts the decisions', async () => {
    const { countAuthEvents } = loadSnippet('opentelemetry.ts', PAGE) as TelemetrySnippet;
    const added: unknown[][] = [];
    const stop = countAuthEvents({
      createCounter: (name: string) => ({
        add(value: number, attributes: Record<string, string>) {
          // The login of an earlier test can still upgrade its hash, or find that its store is gone.
          if (!attributes['type']?.startsWith('hash_')) added.push([name, value, attributes]);
        },
      }),
    });
    try {
      const { app, awa } = serveApp();
      await logIn(app);
      await list(app, {});
      await list(app, awa);
    } finally {
      stop();
    }
    expect(added).to.deep.equal([
      ['merchant_auth.events', 1, { type: 'login_succeeded' }],
      ['merchant_auth.events', 1, { type: 'token_refused', reason: MISSING_TOKEN }],
    ]);
  });
});
