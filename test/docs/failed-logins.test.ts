import { expect } from 'chai';
import express, { type Request } from 'express';
import { authErrorHandler, createLoginRouter, type Login } from 'express-merchant-auth';
import { determineSource } from '../../src/sources/determine-source.js';
import { PEER_LIMIT } from '../../src/throttle/login-throttle.js';
import { DEFAULT_LIMITS, type FailureLimit } from '../../src/throttle/throttle-options.js';
import { expectWrongCredentials } from '../helpers/answers.js';
import { stubComputations } from '../helpers/computations.js';
import { printedBy } from '../helpers/diagnostics.js';
import { serve } from '../helpers/http.js';
import { loadSnippet, readPage, rowsOf, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/failed-logins.md';

interface Operator {
  readonly login: Login;
  readonly stopListening: () => void;
  readonly forgive: (email: string, source: string) => Promise<void>;
}

const textOf = (page: string) => readPage(page).replaceAll(/\s+/g, ' ');
const timeOf = (seconds: number) => (seconds === 3600 ? 'an hour' : `${seconds / 60} minutes`);
const limitOf = ({ failures, seconds }: FailureLimit) => `${failures.toLocaleString('en')} in ${timeOf(seconds)}`;

describe(PAGE, () => {
  it('names the default limits', () => {
    const limits = [...Object.values(DEFAULT_LIMITS), PEER_LIMIT].map(limitOf);
    expect(rowsOf(PAGE, 'limit').map(([, limit]) => limit)).to.deep.equal(limits);
  });

  it('names the limits that SECURITY.md names', () => {
    const { email, emailAndSource } = DEFAULT_LIMITS;
    expect(textOf('SECURITY.md')).to.include(`\`email\`, by default ${limitOf(email)}.`);
    const tries = `keeps ${limitOf(emailAndSource).replace(' in', ' tries in')} for each email that is known there.`;
    expect(textOf('SECURITY.md')).to.include(tries);
    expect(textOf('SECURITY.md')).to.include(`it has ${PEER_LIMIT.failures.toLocaleString('en')} more for all.`);
    for (const page of [PAGE, 'SECURITY.md']) {
      expect(textOf(page), page).to.include(`can lock one email out for ${timeOf(email.seconds)}.`);
    }
  });

  it('shows how an operator forgives the failures of a merchant, by the source of the event', async () => {
    writeSnippets(PAGE);
    const { login, stopListening, forgive } = loadSnippet('forgive.ts', PAGE) as Operator;
    stubComputations(() => false);
    const client = await serve(express().use(createLoginRouter(login), authErrorHandler()));
    const email = 'awa@boutique.example';
    let guesses = 0;
    const logIn = () => client.send('POST', '/login', { body: { email, password: `not the password ${guesses++}` } });
    const printed = await printedBy('warn', async () => {
      for (let guess = 0; guess < DEFAULT_LIMITS.emailAndSource.failures; guess++)
        expectWrongCredentials(await logIn());
      expect((await logIn()).status).to.equal(429);
    }).finally(stopListening);
    expect(printed.map(([, source]) => source)).to.deep.equal(['127.0.0.1']);
    await forgive(email, '127.0.0.1');
    expectWrongCredentials(await logIn());
  });
});

describe('the settings of trust proxy in docs/failed-logins.md', () => {
  const CALLER = '198.51.100.7';
  /** The peer of the app, and the addresses that the proxies appended to `X-Forwarded-For`, in the order of the page. */
  const chains: [peer: string | undefined, appended: string[]][] = [
    [CALLER, []],
    ['127.0.0.1', [CALLER]],
    [undefined, [CALLER]],
    ['10.0.3.7', [CALLER]],
    ['::ffff:127.0.0.1', [CALLER, '10.0.3.7']],
    ['203.0.113.80', [CALLER, '203.0.113.90']],
  ];
  const settings = rowsOf(PAGE, 'in front of the app').map(([, setting = '']) => {
    const [, value] = /^`app\.set\('trust proxy', (.+)\)`$/.exec(setting) ?? [];
    return JSON.parse((value ?? '').replaceAll("'", '"')) as unknown;
  });

  it('count callers by their address, whatever they send', () => {
    expect(settings).to.have.length(chains.length);
    for (const [row, [peer, appended]] of chains.entries()) {
      const app = express();
      app.set('trust proxy', settings[row]);
      for (const sent of [[], ['192.0.2.1'], ['192.0.2.1', '127.0.0.1', '10.0.3.9'], ['unknown']]) {
        const forwarded = [...sent, ...appended].join(', ');
        const req = Object.create(app.request, {
          socket: { value: { remoteAddress: peer } },
          headers: { value: forwarded === '' ? {} : { 'x-forwarded-for': forwarded } },
        }) as Request;
        expect(determineSource(req).source, `${JSON.stringify(settings[row])}, ${forwarded}`).to.equal(CALLER);
      }
    }
  });
});
