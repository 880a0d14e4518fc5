import { expect } from 'chai';
import express from 'express';
import { authErrorHandler, createLoginRouter, type Login, onAuthEvent } from 'express-merchant-auth';
import { MAX_KEYS } from '../../src/throttle/memory-limiter.js';
import { expectWrongCredentials } from '../helpers/answers.js';
import { stubComputations } from '../helpers/computations.js';
import { serve } from '../helpers/http.js';
import { loadSnippet, readPage, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/failed-logins.md';

interface Operator {
  readonly login: Login;
  stopListening(): void;
  forgive(email: string, source: string): Promise<void>;
}

/** The first two cells of the rows about a counter. */
function limitsIn(page: string): string[][] {
  const rows = readPage(page).matchAll(/^\| (one [^|]+?) *\| ([^|]+?) *\|/gm);
  return [...rows].map(([, counter = '', limit = '']) => [counter, limit]);
}

describe(PAGE, () => {
  it('names the limits that README.md names, and the cap of the counters', () => {
    expect(limitsIn(PAGE)).to.have.length(4).and.deep.equal(limitsIn('README.md'));
    expect(readPage(PAGE)).to.include(`at\nmost ${MAX_KEYS.toLocaleString('en')} keys in memory`);
  });

  it('shows how an operator forgives the failures of a merchant, by the source of the event', async () => {
    writeSnippets(PAGE);
    const operator = loadSnippet('forgive.ts', PAGE) as Operator;
    const { warn } = console;
    const printed: unknown[][] = [];
    const sources: unknown[] = [];
    const stop = onAuthEvent((event) => event.type === 'login_throttled' && sources.push(event.source));
    console.warn = (...values: unknown[]) => void printed.push(values);
    try {
      stubComputations(() => false);
      const app = express().use(createLoginRouter(operator.login), authErrorHandler());
      const client = await serve(app);
      const email = 'awa@boutique.example';
      const logIn = () => client.send('POST', '/login', { body: { email, password: 'not the password' } });
      for (let guess = 0; guess < 10; guess++) expectWrongCredentials(await logIn());
      expect((await logIn()).status).to.equal(429);
      expect(sources).to.deep.equal(['127.0.0.1']);
      const [[, source, seconds] = []] = printed;
      expect(printed).to.have.length(1);
      expect(source).to.equal('127.0.0.1');
      expect(seconds).to.be.within(890, 900);
      await operator.forgive(email, '127.0.0.1');
      expectWrongCredentials(await logIn());
    } finally {
      console.warn = warn;
      stop();
      operator.stopListening();
    }
  });
});
