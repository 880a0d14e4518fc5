import { expect } from 'chai';
import type { AuthErrorBody, AuthErrorCode } from '../../src/index.js';
import { AWA, FERMEE, PASSWORD } from '../helpers/accounts.js';
import { logInWhileBusy } from '../helpers/busy-login.js';
import { type Answer, bearer, type Client } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { type Payments, servePayments } from '../helpers/payments.js';
import { QUICK_HASH, quickPasswords } from '../helpers/quick-passwords.js';
import { answerChecker, type Operation } from './answer-checker.js';
import { hostDocument, responseOf } from './host-document.js';

const LOGIN: Operation = { method: 'POST', path: '/v1/login' };
const GUARDED: Operation = { method: 'GET', path: '/v1/guarded' };
const TRANSACTIONS: Operation = { method: 'POST', path: '/v1/transactions' };

/** Provokes one refusal of an operation. */
type Refusal = readonly [operation: Operation, send: (host: Payments) => Promise<Answer>];

/** The seconds of an answer vary. */
function withoutSeconds(description: string): string {
  return description.replace(/ \d+ seconds/, ' N seconds');
}

/** The answers of the package are those of the document: their status, headers and bodies. */
onEachExpress('openApi describes', (framework) => {
  const { auth } = framework;

  async function serveHost(realm = 'merchant'): Promise<Payments> {
    const tokens = auth.createTokens({ realm });
    const payments = await servePayments(framework, {
      login: {
        tokens,
        passwords: quickPasswords(auth.createPasswords).passwords,
        throttle: auth.createLoginThrottle({ emailAndSource: { failures: 1, seconds: 900 } }),
        // One login of one source at once.
        maxLoginsInProgress: 2,
      },
      guard: { tokens },
    });
    for (const account of [AWA, FERMEE]) payments.store.put({ ...account, passwordHash: QUICK_HASH });
    return { ...payments, awa: bearer(tokens.issue(AWA)) };
  }

  const post = (client: Client, body: object) => client.send('POST', '/v1/login', { body });
  const logIn = (client: Client, email = AWA.email, password = PASSWORD) => post(client, { email, password });
  const read = (client: Client, headers = {}) => client.send('GET', '/v1/guarded', { headers });
  const transact = ({ client, awa }: Payments, body: unknown, headers: object = {}) =>
    client.send('POST', '/v1/transactions', { headers: { ...awa, ...headers }, body });
  const malformed = { ...AWA, id: 1 as never };

  /** The compiler demands each code of the catalogue. */
  const REFUSALS: Readonly<Record<AuthErrorCode, readonly Refusal[]>> = {
    invalid_body: [
      [LOGIN, ({ client }) => post(client, { email: 'merchant.shop.example' })],
      [LOGIN, ({ client }) => client.send('POST', '/v1/login', { headers: { 'Content-Type': 'text/plain' } })],
      [TRANSACTIONS, (host) => transact(host, '{"refercence_cl":', { 'Content-Type': 'application/json' })],
    ],
    wrong_credentials: [[LOGIN, ({ client }) => logIn(client, AWA.email, 'papaye-2026')]],
    account_disabled: [[LOGIN, ({ client }) => logIn(client, FERMEE.email)]],
    too_many_attempts: [
      [
        LOGIN,
        async ({ client }) => {
          await logIn(client, AWA.email, 'papaye-2026');
          return logIn(client);
        },
      ],
    ],
    too_busy: [[LOGIN, ({ client, store }) => logInWhileBusy(store, () => logIn(client))]],
    missing_token: [
      [GUARDED, ({ client }) => read(client)],
      [TRANSACTIONS, ({ client }) => client.send('POST', '/v1/transactions', { body: {} })],
    ],
    invalid_token: [[GUARDED, ({ client }) => read(client, bearer('a.b.c'))]],
    expired_token: [
      [
        GUARDED,
        ({ client }) => read(client, bearer(auth.createTokens({ clock: () => Date.now() - 18_000_000 }).issue(AWA))),
      ],
    ],
    revoked_token: [
      [
        GUARDED,
        ({ client, store, awa }) => {
          store.remove(AWA.id);
          return read(client, awa);
        },
      ],
    ],
    missing_reference: [[TRANSACTIONS, (host) => transact(host, { amount: 5 })]],
    invalid_reference: [[TRANSACTIONS, (host) => transact(host, { refercence_cl: 5 })]],
    foreign_reference: [[TRANSACTIONS, (host) => transact(host, { refercence_cl: 'CNT-1002' })]],
    unreadable_body: [
      [TRANSACTIONS, (host) => transact(host, 'a=1', { 'Content-Type': 'application/x-www-form-urlencoded' })],
    ],
    store_unavailable: [
      [
        LOGIN,
        ({ client, store }) => {
          store.findCredentials = () => Promise.reject(new Error('connection refused'));
          return logIn(client);
        },
      ],
      [
        GUARDED,
        ({ client, store, awa }) => {
          store.findById = () => Promise.reject(new Error('connection refused'));
          return read(client, awa);
        },
      ],
    ],
    malformed_account: [
      [
        LOGIN,
        ({ client, store }) => {
          store.findCredentials = () => Promise.resolve({ account: malformed, passwordHash: QUICK_HASH });
          return logIn(client);
        },
      ],
      [
        GUARDED,
        ({ client, store, awa }) => {
          store.findById = () => Promise.resolve(malformed);
          return read(client, awa);
        },
      ],
    ],
  };

  const document = hostDocument();
  const check = answerChecker(document);

  function exampleOf({ method, path }: Operation, status: number, code: AuthErrorCode): AuthErrorBody {
    const examples = responseOf(document, method, path, status)?.content['application/json']?.examples;
    return examples?.[code]?.value as AuthErrorBody;
  }

  for (const [code, refusals] of Object.entries(REFUSALS) as [AuthErrorCode, readonly Refusal[]][]) {
    it(`each answer with ${code}, and has an example of it`, async () => {
      for (const [operation, send] of refusals) {
        const answer = await send(await serveHost());
        const body = answer.json as AuthErrorBody;
        expect(check(operation, answer)).to.deep.equal([]);
        const example = exampleOf(operation, answer.status, code);
        const { description, errors } = body;
        expect(body).to.deep.equal({ ...example, description, ...(errors && { errors }) });
        // A broken body has a sentence of its route.
        if (code !== 'invalid_body') expect(withoutSeconds(description)).to.equal(withoutSeconds(example.description));
      }
    });
  }

  it('the answer to the example of a broken login exactly', async () => {
    const [[, send]] = REFUSALS.invalid_body as [Refusal];
    expect((await send(await serveHost())).json).to.deep.equal(exampleOf(LOGIN, 400, 'invalid_body'));
  });

  it('the answer to a good login', async () => {
    const { client } = await serveHost();
    const answer = await logIn(client);
    expect(answer.status).to.equal(200);
    expect(check(LOGIN, answer)).to.deep.equal([]);
  });

  it('the challenges of another realm only with that realm', async () => {
    const { client } = await serveHost('sandbox');
    const checkSandbox = answerChecker(hostDocument({ realm: 'sandbox' }));
    for (const [operation, answer] of [
      [LOGIN, await logIn(client, AWA.email, 'papaye-2026')],
      [GUARDED, await read(client)],
      [GUARDED, await read(client, bearer('a.b.c'))],
    ] as const) {
      expect(answer.headers['www-authenticate']).to.contain('realm="sandbox"');
      expect(checkSandbox(operation, answer)).to.deep.equal([]);
      const complaint = 'WWW-Authenticate must be equal to one of the allowed values';
      expect(check(operation, answer)).to.deep.equal([complaint]);
    }
  });

  it('no answer that differs from these', async () => {
    const { client } = await serveHost();
    const answer = await logIn(client);
    const body = answer.json as object;
    const changed = (changes: Partial<Answer>) => check(LOGIN, { ...answer, json: body, ...changes });
    expect(changed({ status: 418 })).to.deep.equal(['status 418 is not described']);
    expect(changed({ headers: { ...answer.headers, 'cache-control': undefined } })).to.deep.equal([
      'Cache-Control is missing',
    ]);
    expect(changed({ headers: { ...answer.headers, 'content-type': 'text/html' } })).to.deep.equal([
      'text/html is not described',
    ]);
    expect(changed({ headers: { ...answer.headers, 'retry-after': '5' } })).to.deep.equal([
      'retry-after is not described',
    ]);
    expect(changed({ json: { ...body, token: 'x' } })).to.deep.equal(['body must NOT have additional properties']);
    expect(changed({ json: { ...body, code: 201 } })).to.deep.equal(['body/code must be equal to constant']);

    const refusal = await read(client);
    const changedError = (json: object) =>
      check(GUARDED, { ...refusal, json: { ...(refusal.json as object), ...json } });
    expect(changedError({ error: 'wrong_credentials' })).to.deep.equal([
      'body/error must be equal to one of the allowed values',
    ]);
    expect(changedError({ code: 403 })).to.deep.equal(['body/code must be equal to constant']);
    expect(changedError({ description: undefined })).to.deep.equal(["body must have required property 'description'"]);
  });
});
