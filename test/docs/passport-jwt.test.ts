import { hash } from '@node-rs/bcrypt';
import { expect } from 'chai';
import type { Express } from 'express';
import jwt from 'jsonwebtoken';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { stubComputations } from '../helpers/computations.js';
import { type Answer, bearer, type Client, serve } from '../helpers/http.js';
import { loadApp, loadSnippet, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/passport-jwt.md';

const OWN = { refercence_cl: 'BTQ-1001', amount: 5 };

describe(PAGE, () => {
  let apps: readonly Express[];
  let oldHost: Client;
  let newHost: Client;

  before('load both hosts over one table', async () => {
    writeSnippets(PAGE);
    const { rows } = loadSnippet('accounts.ts', PAGE) as { rows: unknown[] };
    const { email, phone, marchand } = AWA;
    rows.push({ id: 1, email, phone, password: await hash(PASSWORD, 10), ...marchand });
    rows.push({ id: 2, email: 'kofi@cantine.example', phone, password: await hash('court', 4), ...marchand });
    apps = [await loadApp('before.ts', PAGE), await loadApp('after.ts', PAGE)];
  });

  beforeEach('serve them', async () => {
    [oldHost, newHost] = (await Promise.all(apps.map(serve))) as [Client, Client];
  });

  const logIn = (host: Client, body: unknown = { email: AWA.email, password: PASSWORD }) =>
    host.send('POST', '/v1/login', { body });
  const tokenOf = async (host: Client) => {
    const { json } = await logIn(host);
    return (json as { authorisation: { token: string } }).authorisation.token;
  };
  const pay = (host: Client, token: string, path = '/v1/transactions', body: unknown = OWN) =>
    host.send('POST', path, { body, headers: bearer(token) });
  const withoutToken = ({ text }: Answer) => text.replace(/"token":"[^"]+"/, '');

  it('answers the same login in the same words, and takes the same payment', async () => {
    expect(withoutToken(await logIn(newHost))).to.equal(withoutToken(await logIn(oldHost)));
    for (const host of [oldHost, newHost]) {
      const paid = await pay(host, await tokenOf(host));
      expect([paid.status, paid.json]).to.deep.equal([201, OWN]);
    }
  });

  it('refuses a token of before with a 401 in JSON, and lets the client log in again', async () => {
    const old = await tokenOf(oldHost);
    expect(jwt.decode(old, { complete: true })?.header).to.deep.equal({ alg: 'HS256', typ: 'JWT' });
    expect((await pay(newHost, old)).json).to.include({ code: 401, error: 'invalid_token' });
    expect((await pay(newHost, await tokenOf(newHost))).status).to.equal(201);
    expect((await oldHost.send('POST', '/v1/transactions')).text).to.equal('Unauthorized');
  });

  it('refuses passwords of fewer than six characters, which the old code took', async () => {
    const body = { email: 'kofi@cantine.example', password: 'court' };
    expect((await logIn(oldHost, body)).status).to.equal(200);
    expect((await logIn(newHost, body)).json).to.include({ code: 400, error: 'invalid_body' });
  });

  it('computes a hash of the same cost for an unknown email as for a known one', async () => {
    const computations = stubComputations();
    await logIn(newHost, { email: AWA.email, password: 'not the password' });
    await logIn(newHost, { email: 'nobody@boutique.example', password: 'not the password' });
    const costs = computations.map(({ algorithm, hash: compared }) => [algorithm, compared?.split('$')[2]]);
    expect(costs).to.deep.equal([
      ['bcrypt', '10'],
      ['bcrypt', '10'],
    ]);
  });

  it('issues tokens that the old code takes, as it reads sub', async () => {
    expect((await pay(oldHost, await tokenOf(newHost))).status).to.equal(201);
  });

  describe('names what the old code gets wrong', () => {
    /** The status before, and what is answered after. */
    async function compare(request: (host: Client) => Promise<Answer>): Promise<unknown[]> {
      const answer = await request(newHost);
      const { error } = answer.json as { error?: string };
      return [(await request(oldHost)).status, answer.status, error];
    }

    it('tokens that never expire', async () => {
      const token = jwt.sign({ sub: '1' }, process.env['JWT_SECRET'] ?? '');
      expect(await compare((host) => pay(host, token))).to.deep.equal([201, 401, 'invalid_token']);
      const { header, payload } = jwt.decode(await tokenOf(newHost), { complete: true }) ?? {};
      const { exp, ...rest } = payload as jwt.JwtPayload;
      expect(exp).to.be.a('number');
      const forever = jwt.sign(rest, process.env['JWT_SECRET'] ?? '', { ...(header && { header }) });
      expect(await compare((host) => pay(host, forever))).to.deep.equal([201, 401, 'invalid_token']);
    });

    it('text after the token', async () => {
      const request = async (host: Client) => pay(host, `${await tokenOf(host)} anything`);
      expect(await compare(request)).to.deep.equal([201, 401, 'invalid_token']);
    });

    it('references in other places', async () => {
      const inQuery = async (host: Client) => pay(host, await tokenOf(host), '/v1/transactions?refercence_cl=CNT-1002');
      const deeper = async (host: Client) =>
        pay(host, await tokenOf(host), '/v1/transactions', { ...OWN, lines: [{ refercence_cl: 'CNT-1002' }] });
      for (const request of [inQuery, deeper]) {
        expect(await compare(request)).to.deep.equal([201, 403, 'foreign_reference']);
      }
    });

    it('bodies that nobody checked', async () => {
      const request = (host: Client) => logIn(host, { email: AWA.email });
      expect(await compare(request)).to.deep.equal([500, 400, 'invalid_body']);
    });
  });
});
