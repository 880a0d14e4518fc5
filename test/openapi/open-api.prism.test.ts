import { expect } from 'chai';
import { createTokens } from 'express-merchant-auth';
import { authContract } from 'express-merchant-auth/testing';
import type { AppDependencies } from '../../example-app/src/app.js';
import { DatabaseUnavailable } from '../../example-app/src/stores/database-unavailable.js';
import { AWA, create, idOf, KOFI, list, logIn, TRANSACTION, tryLogIn } from '../example-app/calls.js';
import { serveApp } from '../example-app/serve-app.js';
import { withApiTool } from '../helpers/api-tools.js';
import { type Answer, bearer, type Client } from '../helpers/http.js';
import { type Document, documentOf } from './host-document.js';
import { type PrismProxy, startPrism } from './prism.js';

const MERCHANTS = {
  merchant: { ...AWA, referencl: 'BTQ-1001' },
  otherMerchant: { ...KOFI, referencl: 'CNT-1002' },
  disabledMerchant: { email: 'fermee@ancien.example', password: 'fermeture-2026' },
};

/** Prism answers these requests itself, or changes them on their way. The other suites send them to the app. */
const NOT_THROUGH_PRISM: Readonly<Record<string, string>> = {
  '7 a login with a body that breaks a rule gets 400 with a description': 'It parses each JSON body.',
  'a body that is not JSON gets 400 as JSON, without what was sent': 'It parses each JSON body.',
  '5.8 a request with another scheme, a bad token or two Authorization headers gets 401': 'It drops the second header.',
  'a path that cannot be decoded gets a refusal as JSON, without the path': 'It ends the connection.',
};

/** The requests of the contract to methods that nobody describes. */
const NOT_DESCRIBED = ['get /v1/login', 'put /v1/login', 'options /v1/transactions'];

const unavailable = () => Promise.reject(new DatabaseUnavailable(new Error('connection refused')));

/** Where Prism found a violation: in the request or in the response. */
function violatedIn({ headers }: Answer): readonly string[] {
  const value = headers['sl-violations'] as string | undefined;
  const violations = JSON.parse(value ?? '[]') as { readonly location: readonly [string]; readonly message: string }[];
  return violations.map(({ location: [side], message }) => (side === 'response' ? `${side}: ${message}` : side));
}

withApiTool('Prism, as a proxy in front of the example app', 'prism', (prism) => {
  let document: Document;
  before('read the document', async () => {
    document = await documentOf((await serveApp()).client);
  });

  async function appBehindPrism(dependencies: Partial<AppDependencies> = {}, changed = document): Promise<PrismProxy> {
    const { client } = await serveApp(dependencies);
    return startPrism(prism, changed, client.port);
  }

  it('finds no answer that the document does not describe in the cases of authContract', async () => {
    const tokens = createTokens();
    const proxy = await appBehindPrism({ tokens });
    let number = 0;
    const cases = authContract(() =>
      Promise.resolve({
        ...MERCHANTS,
        baseUrl: `http://127.0.0.1:${proxy.port}`,
        transactions: {
          body(refercence_cl) {
            number += 1;
            return { ...TRANSACTION, refercence_cl, merchant_transaction_id: `contract-${number}` };
          },
        },
        tokens,
      }),
    );
    expect(cases.map(({ name }) => name)).to.include.members(Object.keys(NOT_THROUGH_PRISM));
    for (const { name, run } of cases) if (!(name in NOT_THROUGH_PRISM)) await run.call({ skip: () => undefined });

    const violations = await proxy.stop();
    expect(violations.filter((violation) => !violation.includes(' > request'))).to.deep.equal([]);
    const undescribed = violations.filter((violation) => violation.endsWith('Selected route not found'));
    const known = NOT_DESCRIBED.map((request) => `${request} > request Selected route not found`);
    expect(undescribed).to.deep.equal(known);
  });

  describe('finds no answer that the document does not describe', () => {
    /** Sends a request. */
    type Send = (client: Client, awa: Readonly<Record<string, string>>) => Promise<Answer>;

    const post =
      (body: unknown, headers: object = {}): Send =>
      (client, awa) =>
        client.send('POST', '/v1/transactions', { headers: { ...awa, ...headers }, body });
    const get =
      (path: string): Send =>
      (client, headers) =>
        client.send('GET', path, { headers });

    /** The requests, each with the status of its answer, and with `invalid` if the document does not allow it. */
    const REQUESTS: readonly (readonly [title: string, send: Send, status: number, isInvalid?: 'invalid'])[] = [
      ['a login', (client) => tryLogIn(client, AWA), 200],
      ['a new transaction', post(TRANSACTION), 201],
      ['a repeated one', post(TRANSACTION), 200],
      ['one with another body', post({ ...TRANSACTION, amount: 1 }), 409],
      ['one without an amount', post({ ...TRANSACTION, amount: undefined }), 400, 'invalid'],
      ['one without a reference', post({ ...TRANSACTION, refercence_cl: undefined }), 400, 'invalid'],
      ["one with another merchant's reference", post({ ...TRANSACTION, refercence_cl: 'CNT-1002' }), 403],
      ['a form', post('a=1', { 'Content-Type': 'application/x-www-form-urlencoded' }), 415, 'invalid'],
      ['a token that is not valid', (client) => get('/v1/transactions')(client, bearer('a.b.c')), 401],
      ['the list', get('/v1/transactions'), 200],
      [
        'one transaction',
        async (client, awa) => get(`/v1/transactions/${idOf(await create(client, awa))}`)(client, awa),
        200,
      ],
      ['an unknown transaction', get('/v1/transactions/no-such-id'), 404],
      ['the health', get('/healthz'), 200],
      ['the readiness', get('/readyz'), 200],
      ['the public keys', get('/jwks.json'), 200],
    ];

    it('in requests to each operation of the document', async () => {
      const { client } = await appBehindPrism();
      const awa = await logIn(client);
      for (const [title, send, status, isInvalid] of REQUESTS) {
        const answer = await send(client, awa);
        expect(answer.status, title).to.equal(status);
        expect(new Set(violatedIn(answer)), title).to.deep.equal(new Set(isInvalid ? ['request'] : []));
      }
      const operations = Object.entries(document.paths).flatMap(([path, methods]) => {
        return Object.keys(methods).map((method) => `${method} ${path}`);
      });
      expect(operations).to.have.members([
        'post /v1/login',
        'post /v1/transactions',
        'get /v1/transactions',
        'get /v1/transactions/{id}',
        'get /healthz',
        'get /readyz',
        'get /jwks.json',
      ]);
    });

    it('when a merchant sends too many requests', async () => {
      const { client } = await appBehindPrism({ requestsPerMinute: 1 });
      const awa = await logIn(client);
      await list(client, awa);
      const answer = await list(client, awa);
      expect([answer.status, violatedIn(answer)]).to.deep.equal([429, []]);
    });

    for (const [title, add, status] of [
      ['when the transactions are unavailable', unavailable, 503],
      ['when something fails', () => Promise.reject(new Error('unexpected')), 500],
    ] as const) {
      it(title, async () => {
        const { client } = await appBehindPrism({ transactionStore: { add, list: add, find: add } });
        const answer = await create(client, await logIn(client));
        expect([answer.status, violatedIn(answer)]).to.deep.equal([status, []]);
      });
    }
  });

  describe('finds an answer that differs from the document', () => {
    const LOGIN_401 = ['paths', '/v1/login', 'post', 'responses', '401'];
    /** The part of the document that is taken away, with the violation that Prism then finds. */
    const CHANGES: readonly (readonly [title: string, change: (changed: Document) => void, violation: RegExp])[] = [
      [
        'an undescribed status',
        (changed) => Reflect.deleteProperty(at(changed, LOGIN_401.slice(0, -1)), '401'),
        /^response: Unable to match the returned status code/,
      ],
      [
        'another code',
        (changed) => {
          const [, limits] = at(changed, ['components', 'schemas', 'Login401', 'allOf']) as unknown as object[];
          Object.assign(limits ?? {}, { properties: { error: { enum: ['account_disabled'] } } });
        },
        /^response: Response body property error must be equal to one of the allowed values/,
      ],
      [
        'a member that is missing',
        (changed) => void Object.assign(at(changed, ['components', 'schemas', 'AuthError']), { required: ['detail'] }),
        /^response: Response body must have required property 'detail'/,
      ],
      [
        'another challenge',
        (changed) => {
          const header = at(changed, ['components', 'responses', 'Login401', 'headers', 'WWW-Authenticate']);
          Object.assign(header, { schema: { type: 'string', enum: ['Bearer realm="other"'] } });
        },
        /^response: Response header parameter www-authenticate must be equal to one of the allowed values/,
      ],
    ];

    function at(value: object, names: readonly string[]): object {
      return names.reduce((parent, name) => (parent as Record<string, object>)[name] ?? {}, value);
    }

    for (const [title, change, violation] of CHANGES) {
      it(title, async () => {
        const changed = structuredClone(document);
        change(changed);
        const { client } = await appBehindPrism({}, changed);
        const answer = await tryLogIn(client, { ...AWA, password: 'not the password' });
        expect(answer.status).to.equal(401);
        expect(violatedIn(answer))
          .to.have.length(1)
          .and.satisfy(([found = '']: string[]) => violation.test(found));
      });
    }
  });
});
