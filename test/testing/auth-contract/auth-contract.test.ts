import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { createTokens } from '../../../src/index.js';
import { authContract, type HostUnderTest } from '../../../src/testing/index.js';
import { AWA, FERMEE, KOFI, withPassword } from '../../helpers/accounts.js';
import { HOST } from '../../helpers/contract.js';
import { serve } from '../../helpers/http.js';
import { onEachExpress } from '../../helpers/on-each-express.js';
import { rejectionOf } from '../../helpers/thrown.js';

onEachExpress('authContract', (framework) => {
  const { auth, express } = framework;

  const cases = authContract(() => {
    const store = new auth.InMemoryUserStore([AWA, KOFI, FERMEE].map((account) => withPassword(account)));
    const tokens = auth.createTokens();
    const login = auth.createLogin(store, { tokens });
    const app = express();
    app.use(express.json());
    app.post('/api/sign-in', (req, res, next) => {
      const { username, secret } = req.body as { username: string; secret: string };
      login
        .attempt(req, { identifier: username, password: secret })
        .then(({ token }) => res.json({ data: { jwt: token } }))
        .catch(next);
    });
    app.use('/api', auth.requireBearer({ userStore: store, tokens }));
    app.post('/api/payments', auth.requireOwnReference(), (_req, res) => void res.status(202).json({ ok: true }));
    app.use(
      auth.authErrorHandler({
        respond: (error, _req, res) => void res.status(error.status).set(error.headers).json({ fault: error.code }),
        log: () => undefined,
      }),
    );
    return Promise.resolve({
      ...HOST,
      app,
      loginPath: '/api/sign-in',
      ownLogin: {
        body: (username: string, secret: string) => ({ username, secret }),
        tokenOf: (body: unknown) => (body as { data: { jwt: string } }).data.jwt,
      },
      transactions: { ...HOST.transactions, path: '/api/payments' },
      errors: 'own' as const,
    });
  });
  describe('holds for a host with its own login route and its own format of errors', () => {
    for (const { name, run } of cases) it(name, run);
  });
});

describe('authContract', () => {
  const never = () => Promise.resolve(HOST);

  it('names each case once, in a sentence', () => {
    const names = authContract(never).map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(names.length).to.be.greaterThan(20);
  });

  it('refuses an argument that is not a function, and a host without an address or with one merchant twice', async () => {
    expect(() => authContract({} as never)).to.throw(TypeError, 'authContract: createHost');
    const [first] = authContract(never);
    const error = await first?.run().catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(TypeError).with.property('message').that.includes('{ app } or { baseUrl }');
    const [twice] = authContract(() => Promise.resolve({ ...HOST, otherMerchant: HOST.merchant }));
    const refusal = await twice?.run().catch((reason: unknown) => reason);
    expect(refusal).to.have.property('message', 'authContract: otherMerchant needs another referencl.');
  });

  it('refuses an app that is not a function, such as that of NestJS', async () => {
    const [first] = authContract(() => Promise.resolve({ ...HOST, app: { listen: () => undefined } as never }));
    expect(await rejectionOf(first?.run() ?? Promise.resolve()))
      .to.be.instanceOf(TypeError)
      .with.property('message')
      .that.equals('authContract: app must be the Express app. In NestJS: app.getHttpAdapter().getInstance().');
  });

  it('leaves a case out that the host names, with its reason, and refuses a name that no case has', async () => {
    const [name, reason] = [
      '5.8 a route that does not exist gets 401 without a token',
      'The guard is on single routes.',
    ];
    const { port } = await serve((_req: unknown, res: ServerResponse) => res.writeHead(404).end());
    const host = { ...HOST, baseUrl: `http://127.0.0.1:${port}` };
    const run = async (leaveOut: NonNullable<HostUnderTest['leaveOut']>) => {
      const skipped: string[] = [];
      const chosen = authContract(() => Promise.resolve({ ...host, leaveOut })).find((each) => each.name === name);
      const context = { skip: (text: string) => skipped.push(text) };
      return chosen?.run.call(context as never).then(
        () => skipped,
        (error: unknown) => (error as Error).message,
      );
    };
    expect(await run([{ case: name, reason }])).to.deep.equal([reason]);
    expect(await run([])).to.contain('got 404 in place of 401 missing_token.');
    for (const [left, problem] of [
      [{ case: '5.8 a route', reason }, 'leaveOut names no case "5.8 a route". Copy the whole name of the case.'],
      [{ case: name, reason: '' }, `leaveOut of "${name}" needs a reason.`],
    ] as const) {
      expect(await run([left])).to.equal(`authContract: ${problem}`);
    }
  });

  it('blames a limiter of the host for each 429, and nothing else', async () => {
    const limited = (_req: unknown, res: ServerResponse) => {
      res.writeHead(429, { 'Content-Type': 'application/json' }).end('{"message":"Slow down"}');
    };
    const { port } = await serve(limited);
    const host = { ...HOST, tokens: createTokens(), baseUrl: `http://127.0.0.1:${port}` };
    const messages: string[] = [];
    for (const { run } of authContract(() => Promise.resolve(host))) {
      const context = { skip: () => undefined };
      await run.call(context as never).catch((error: unknown) => messages.push((error as Error).message));
    }
    expect(messages).to.have.length.above(15);
    for (const message of messages) {
      expect(message).to.match(
        / A limiter refused it\. Wait, or start the host again, without a limiter of yours\. The body: /,
      );
    }
  });

  it('leaves out the cases that need what the host does not have, with the reason', async () => {
    const { port } = await serve((_req: unknown, res: ServerResponse) => res.writeHead(404).end());
    const baseUrl = `http://127.0.0.1:${port}`;
    const ownLogin = { body: () => ({}), tokenOf: () => 'a.b.c' };
    const { merchant, transactions } = HOST;
    const host = { baseUrl, merchant, transactions, ownLogin };
    const leftOut: Record<string, number> = {};
    const skip = (reason: string) => (leftOut[reason] = (leftOut[reason] ?? 0) + 1);
    await Promise.allSettled(authContract(() => Promise.resolve(host)).map(({ run }) => run.call({ skip })));
    expect(leftOut).to.deep.equal({
      'This host has its own login, with its own request and answer.': 7,
      'Give disabledMerchant to test this.': 1,
      'Give otherMerchant to test this.': 1,
      'Give tokens to test this.': 1,
      'Give transactions.idOf to test this. By id: no route of the app.': 1,
      'This host allows no browsers: no Access-Control-Allow-Origin.': 1,
    });
  });

  it('says that nothing was tested when createHost fails', async () => {
    const [first] = authContract(() => Promise.reject(new Error('no database')));
    const error = await first?.run().catch((reason: unknown) => reason);
    expect(error).to.have.property('message', 'createHost failed, so nothing was tested: no database.');
  });

  it('closes the host after each case, even after a failure', async () => {
    let closed = 0;
    const { port } = await serve((_req: unknown, res: { end(): void }) => res.end());
    const close = () => Promise.resolve(void (closed += 1));
    const cases = authContract(() => Promise.resolve({ ...HOST, baseUrl: `http://127.0.0.1:${port}`, close }));
    const outcomes = await Promise.allSettled(cases.slice(0, 3).map(({ run }) => run()));
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected']);
    expect(closed).to.equal(3);
  });
});
