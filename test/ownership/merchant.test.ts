import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import { merchantOf as otherCopy, type Respond } from '../../src/index.js';
import { accountStore, AWA, KOFI, withPassword } from '../helpers/accounts.js';
import { expectMissingReference } from '../helpers/answers.js';
import { expectNothingUnhandled } from '../helpers/diagnostics.js';
import { bearer, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';

onEachExpress('merchantOf', (framework) => {
  const { auth, express } = framework;

  async function guarded(inspect: (req: Request) => unknown): Promise<unknown> {
    const userStore = new auth.InMemoryUserStore();
    const account = Object.assign(Object.create({ kind: 'an ORM instance' }) as object, AWA);
    userStore.findById = () => Promise.resolve(account);
    const app = express();
    app.get('/', auth.requireBearer({ userStore }), (req, res) => void res.json(inspect(req)));
    const answer = await (await serve(app)).send('GET', '/', { headers: bearer(auth.createTokens().issue(AWA)) });
    return answer.json;
  }

  it('throws a TypeError for a request that passed no guard, whatever another package put into req.user', () => {
    const users = [null, {}, { referencl: 'BTQ-1001', claims: {} }, Object.freeze({ referencl: 'BTQ-1001' }), 'awa'];
    const requests = users.map((user) => Object.assign(new IncomingMessage(new Socket()), { user }));
    for (const req of [...requests, new IncomingMessage(new Socket()), undefined, null, 'req', 5]) {
      expect(() => auth.merchantOf(req as never)).to.throw(
        TypeError,
        'merchantOf: this request passed no guard. Mount requireBearer(...) before this route.',
      );
    }
  });

  it('says so when another copy of the package guarded the request', async () => {
    const seen = await guarded((req) => {
      try {
        return otherCopy(req);
      } catch (error) {
        return String(error);
      }
    });
    expect(seen).to.equal(
      'TypeError: merchantOf: this request was guarded by another copy of express-merchant-auth. Import requireBearer ' +
        'and this function from the same copy: npm ls express-merchant-auth lists them. In tests, jest.resetModules ' +
        'makes another.',
    );
  });

  it('works when req.user can only be read', async () => {
    const readOnly: RequestHandler = (req, _res, next) => {
      Object.defineProperty(req, 'user', { get: () => ({ id: KOFI.id }) });
      next();
    };
    const { client, awa } = await servePayments(framework, { before: [readOnly] });
    const answer = await client.send('GET', '/v1/guarded', { headers: awa });
    expect(answer.json).to.include({ id: AWA.id, referencl: 'BTQ-1001' });
  });

  it('works although the guard adds only user and body to the request', async () => {
    const members: PropertyKey[][] = [];
    const look: RequestHandler = (req, _res, next) => {
      members.push(Reflect.ownKeys(req));
      next();
    };
    const app = express().use(look, auth.requireBearer({ userStore: accountStore() }), look);
    await (await serve(app)).send('GET', '/', { headers: bearer(auth.createTokens().issue(AWA)) });
    const [before = [], after] = members;
    expect(after).to.have.members([...before, 'user', 'body']);
  });

  describe('for a request that an error handler lets go on after a refusal', () => {
    type Middleware = ReturnType<typeof auth.requireBearer>;
    const ownPassword = new auth.InMemoryUserStore([withPassword(AWA)]);
    const respond: Respond = (error, _req, _res, next) => next(error);
    const swallow: ErrorRequestHandler = (_err, _req, _res, next) => next();
    const guardOf = (realm = 'merchant') =>
      auth.requireBearer({ userStore: ownPassword, tokens: auth.createTokens({ realm }), respond });
    const tokenOf = (realm = 'merchant') => bearer(auth.createTokens({ realm }).issue(AWA));

    /** Returns what `merchantOf` and `req.user` say behind these handlers, of which each refusal is swallowed. */
    async function callerBehind(
      handlers: readonly (Middleware | RequestHandler)[],
      headers: object,
      path = '/',
    ): Promise<unknown> {
      const app = express();
      for (const handler of handlers) app.use(handler, swallow);
      app.use((req, res) => {
        let caller: string;
        try {
          caller = auth.merchantOf(req).claims.iss;
        } catch (error) {
          caller = String(error);
        }
        const { user } = req as { user?: { id?: string } };
        res.json([caller, user?.id]);
      });
      return (await (await serve(app)).send('GET', path, { headers: { ...headers } })).json;
    }
    const issuedBy = (realm: string) => [`express-merchant-auth/${realm}`, AWA.id];
    const NOBODY = [
      'TypeError: merchantOf: this request passed no guard. Mount requireBearer(...) before this route. A refused ' +
        'request has no caller, even if an error handler calls next().',
      null,
    ];
    const FOREIGN = '/?refercence_cl=CNT-1002';

    it('throws after the guard, so that authentication can be optional', async () => {
      expect(await callerBehind([guardOf()], tokenOf())).to.deep.equal(issuedBy('merchant'));
      expect(await callerBehind([guardOf()], {})).to.deep.equal(NOBODY);
      expect(await callerBehind([guardOf()], bearer('a.b.c'))).to.deep.equal(NOBODY);
      expect(await callerBehind([guardOf()], tokenOf(), FOREIGN)).to.deep.equal(NOBODY);
    });

    it('throws after requireOwnReference', async () => {
      const from = () => {
        throw new Error('of the host');
      };
      for (const options of [{}, { from }]) {
        const handlers = [guardOf(), auth.requireOwnReference(options)];
        expect(await callerBehind(handlers, tokenOf())).to.deep.equal(NOBODY);
      }
      const own = [guardOf(), auth.requireOwnReference()];
      expect(await callerBehind(own, tokenOf(), '/?refercence_cl=BTQ-1001')).to.deep.equal(issuedBy('merchant'));
    });

    it('returns the caller of the last guard that ran, if that guard accepted it', async () => {
      const realms = [guardOf('sandbox'), guardOf('live')];
      expect(await callerBehind(realms, tokenOf('live'))).to.deep.equal(issuedBy('live'));
      expect(await callerBehind(realms, tokenOf('sandbox'))).to.deep.equal(NOBODY);
    });

    it('answers the refusal although reading req.user throws', async () => {
      const throwing: RequestHandler = (req, _res, next) => {
        Object.defineProperty(req, 'user', {
          get() {
            throw new Error('no session');
          },
        });
        next();
      };
      const app = express();
      app.use(throwing, guardOf(), auth.requireOwnReference());
      app.use(auth.authErrorHandler());
      const client = await serve(app);
      await expectNothingUnhandled(async () => {
        expectMissingReference(await client.send('GET', '/', { headers: tokenOf() }));
      });
    });

    it('leaves a req.user of the host', async () => {
      const replace: RequestHandler = (req, _res, next) => {
        Object.assign(req, { user: { id: KOFI.id } });
        next();
      };
      const [caller] = NOBODY;
      expect(await callerBehind([guardOf(), replace, guardOf('live')], tokenOf())).to.deep.equal([caller, KOFI.id]);
    });
  });

  it('returns a frozen object that is also in req.user, with deeply frozen claims and the account of the store', async () => {
    const seen = await guarded((req) => {
      const merchant = auth.merchantOf(req);
      const { account, claims } = merchant;
      return [
        (req as { user?: unknown }).user === merchant,
        Object.keys(merchant),
        [merchant, claims, account].map((object) => Object.isFrozen(object)),
        (account as unknown as { kind: string }).kind,
      ];
    });
    const members = ['id', 'referencl', 'account', 'claims'];
    expect(seen).to.deep.equal([true, members, [true, true, false], 'an ORM instance']);
  });
});
