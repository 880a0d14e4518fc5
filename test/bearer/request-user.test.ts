import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import type { Express, Request, RequestHandler } from 'express';
import { AWA, KOFI, accountStore } from '../helpers/accounts.js';
import { bearer, type Client, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';

onEachExpress('req.user', ({ auth, express }) => {
  const guard = () => auth.requireBearer({ userStore: accountStore() });
  const userOf = (req: unknown) => (req as { user?: { id?: string } }).user;
  /** Answers with the user's id, and whether it is the merchant that `merchantOf` gives. */
  const tell: RequestHandler = (req, res) => {
    const user = userOf(req);
    res.json({ id: user?.id ?? null, isMerchant: user !== undefined && user === auth.merchantOf(req) });
  };
  const AS_AWA = { id: AWA.id, isMerchant: true };

  async function ask(client: Client, path: string, account = AWA): Promise<unknown> {
    const headers = bearer(auth.createTokens().issue(account));
    return (await client.send('GET', path, { headers })).json;
  }

  function mounted(parent: Express, path: string): Express {
    const child = express();
    parent.use(path, child);
    return child;
  }

  it('is the merchant of each request, in the app and in an app mounted behind the guard', async () => {
    const app = express();
    app.use(guard());
    app.get('/here', tell);
    mounted(app, '/child').get('/there', tell);
    const client = await serve(app);
    for (const path of ['/here', '/child/there']) {
      expect(await ask(client, path)).to.deep.equal(AS_AWA);
      expect(await ask(client, path, KOFI)).to.deep.equal({ id: KOFI.id, isMerchant: true });
    }
  });

  it('is the merchant behind a guard in a mounted app, there and in the app around it', async () => {
    const app = express();
    const child = mounted(app, '/child');
    child.use(guard());
    child.get('/there', tell);
    app.use(tell);
    const client = await serve(app);
    expect(await ask(client, '/child/there')).to.deep.equal(AS_AWA);
    expect(await ask(client, '/child/elsewhere')).to.deep.equal(AS_AWA);
  });

  it('is nothing on a request that passed no guard, also of an app that has one', async () => {
    const app = express();
    app.get('/open', tell);
    app.use(guard());
    app.get('/guarded', tell);
    const client = await serve(app);
    expect(await ask(client, '/guarded')).to.deep.equal(AS_AWA);
    expect(await ask(client, '/open')).to.deep.equal({ id: null, isMerchant: false });
  });

  it('stays what other middleware makes of it, in front of any guard and behind it', async () => {
    const app = express();
    app.get('/guarded', guard(), tell);
    app.use((req, _res, next) => {
      Object.assign(req, { user: { id: 'a session' } });
      next();
    });
    app.get('/open', (req, res) => void res.json({ own: Object.keys(req).includes('user'), user: userOf(req) }));
    app.get('/behind', guard(), (req, res) => {
      const before = userOf(req)?.id;
      Object.assign(req, { user: { id: 'replaced' } });
      res.json({ before, after: userOf(req)?.id, merchant: auth.merchantOf(req).id });
    });
    const client = await serve(app);
    expect(await ask(client, '/guarded')).to.deep.equal(AS_AWA);
    expect(await ask(client, '/open')).to.deep.equal({ own: true, user: { id: 'a session' } });
    const behind = { before: AWA.id, after: 'replaced', merchant: AWA.id };
    expect(await ask(client, '/behind')).to.deep.equal(behind);
  });

  it('leaves a user that the host gives to all requests where it is, and is the merchant behind the guard', async () => {
    const app = express();
    const inherited = { id: 'of the host' };
    Object.defineProperty(app.request, 'user', { value: inherited, writable: true });
    app.get('/open', (req, res) => void res.json(userOf(req)));
    app.get('/guarded', guard(), tell);
    const client = await serve(app);
    expect(await ask(client, '/guarded')).to.deep.equal(AS_AWA);
    expect(await ask(client, '/open')).to.deep.equal(inherited);
    expect((app.request as unknown as { user: unknown }).user).to.equal(inherited);
  });

  it('is on the requests of apps with a guard alone', async () => {
    const [guarded, other] = [express(), express()];
    guarded.get('/', guard(), tell);
    other.get('/', (req, res) => void res.json('user' in req));
    expect(await ask(await serve(guarded), '/')).to.deep.equal(AS_AWA);
    expect(await ask(await serve(other), '/')).to.equal(false);
    expect('user' in express.request).to.equal(false);
  });

  it('is the merchant without Express', async () => {
    const check = guard();
    const listener: RequestListener = (req, res) => {
      check(req, res, () => {
        (res as unknown as { json: (body: unknown) => void }).json = (body) => res.end(JSON.stringify(body));
        void tell(req as Request, res as never, () => undefined);
      });
    };
    expect(await ask(await serve(listener), '/')).to.deep.equal(AS_AWA);
  });
});
