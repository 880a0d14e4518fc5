import { expect } from 'chai';
import type { Request, RequestHandler } from 'express';
import passport from 'passport';
import { Strategy } from 'passport-local';
import { throughPassportLocal } from '../../src/login/passport-local.js';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { expectWrongCredentials } from '../helpers/answers.js';
import { FRAMEWORK } from '../helpers/framework.js';
import { bearer, serve } from '../helpers/http.js';
import { quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { rejectionOf } from '../helpers/thrown.js';

interface Input {
  readonly identifier: string;
  readonly password: string;
  readonly number: number;
}

const inputOf = (number: number): Input => ({ identifier: AWA.email, password: PASSWORD, number });

describe('throughPassportLocal', () => {
  it('calls verify with the same object, and resolves to the result of verify', async () => {
    const input = Object.freeze(inputOf(1));
    for (const isRight of [true, false]) {
      const seen: Input[] = [];
      const authenticate = throughPassportLocal((given: Input) => {
        seen.push(given);
        return Promise.resolve(isRight);
      });
      expect(await authenticate(input)).to.equal(isRight);
      expect(seen).to.have.length(1);
      expect(seen[0]).to.equal(input);
    }
  });

  it('keeps 200 overlapping logins apart', async () => {
    const ends: (() => void)[] = [];
    const authenticate = throughPassportLocal(
      ({ number }: Input) => new Promise<boolean>((resolve) => ends.push(() => resolve(number % 3 === 0))),
    );
    const inputs = Array.from({ length: 200 }, (_, number) => inputOf(number));
    const results = Promise.all(inputs.map(authenticate));
    for (const end of ends.reverse()) end();
    expect(await results).to.deep.equal(inputs.map(({ number }) => number % 3 === 0));
  });

  it('rejects with the error that verify rejects with', async () => {
    for (const reason of [new Error('down'), new TypeError('a bug')]) {
      const authenticate = throughPassportLocal(() => Promise.reject(reason));
      expect(await rejectionOf(authenticate(inputOf(1)))).to.equal(reason);
    }
  });

  it('rejects with an Error also when verify rejects with another value', async () => {
    for (const reason of [undefined, null, false, 'route', 0]) {
      const authenticate = throughPassportLocal(() => Promise.reject(reason));
      expect(await rejectionOf(authenticate(inputOf(1))))
        .to.be.instanceOf(Error)
        .with.property('cause', reason);
    }
  });

  it('resolves to false for empty credentials, which passport-local does not verify', async () => {
    const authenticate = throughPassportLocal(() => Promise.resolve(true));
    expect(await authenticate({ identifier: AWA.email, password: '' })).to.equal(false);
  });
});

/** The members that passport puts on a request. */
const PASSPORT_MEMBERS = ['_passport', '_sessionManager', 'login', 'logIn', 'logout', 'logOut', 'isAuthenticated'];

type HostRequest = Request & Record<string, unknown>;

describe("a host's own passport with sessions", () => {
  const { auth, express } = FRAMEWORK;

  /** Sessions in memory, one for each value of the header `X-Session`, as far as passport needs them. */
  function sessions(): RequestHandler {
    const store = new Map<string, object>();
    return (req, _res, next) => {
      const id = req.get('X-Session') ?? '';
      const call = (done: (err?: unknown) => void) => done();
      const session = store.get(id) ?? {};
      store.set(id, session);
      // passport regenerates the session at login and logout, against session fixation.
      const regenerate = (done: () => void) => {
        for (const name of Object.keys(session)) Reflect.deleteProperty(session, name);
        done();
      };
      Object.defineProperties(session, {
        regenerate: { value: regenerate, configurable: true },
        save: { value: call, configurable: true },
      });
      Object.assign(req, { session });
      next();
    };
  }

  /** A host with staff that logs in to sessions by passport-local, beside merchants that get tokens. */
  async function serveHost(own: passport.PassportStatic) {
    own.use(new Strategy((username, password, done) => done(null, password === 'staff' && { staff: username })));
    own.serializeUser((user, done) => done(null, JSON.stringify(user)));
    own.deserializeUser((text: string, done) => done(null, JSON.parse(text) as Express.User));
    const { passwords } = quickPasswords(auth.createPasswords);
    const userStore = quickAccountStore();
    const login = auth.createLogin(userStore, { passwords, throttle: false });
    const changes: string[] = [];
    const membersOf = (req: Request) =>
      Object.fromEntries([...PASSPORT_MEMBERS, 'session'].map((name) => [name, (req as HostRequest)[name]]));
    const compare = (req: Request, before: Record<string, unknown>) => {
      for (const [name, value] of Object.entries(membersOf(req))) if (value !== before[name]) changes.push(name);
    };

    const app = express();
    app.use(express.json(), sessions(), own.initialize() as RequestHandler, own.session() as RequestHandler);
    app.post('/staff/login', own.authenticate('local') as RequestHandler, (req, res) => void res.json(req.user));
    app.get('/staff', (req, res) => void res.json({ user: req.user ?? null, is: req.isAuthenticated() }));
    app.post('/auth/login', (req, res, next) => {
      const before = { ...membersOf(req), user: req.user };
      const { username, password } = req.body as { username: string; password: string };
      login
        .attempt(req, { identifier: username, password })
        .finally(() => {
          compare(req, before);
          if (req.user !== before.user) changes.push('user');
        })
        .then(({ token }) => void res.json({ token, user: req.user ?? null, is: req.isAuthenticated() }), next);
    });
    app.use('/v1', auth.createLoginRouter(login));
    const guarded: Record<string, unknown> = {};
    const remember: RequestHandler = (req, _res, next) => {
      Object.assign(guarded, membersOf(req));
      next();
    };
    app.use('/v1', remember, auth.requireBearer({ userStore }));
    app.get('/v1/merchant', (req, res) => {
      compare(req, guarded);
      res.json(auth.merchantOf(req).id);
    });
    app.get('/v1/logout', (req, res, next) => {
      // The session manager of the host ends the session.
      req.logout((err) => (err ? next(err) : res.json({ is: req.isAuthenticated() })));
    });
    app.use(auth.authErrorHandler());
    const client = await serve(app);
    const send = (method: string, path: string, body?: object, headers: object = {}) =>
      client.send(method, path, { ...(body && { body }), headers: { 'X-Session': 'of the staff', ...headers } });
    return { changes, send };
  }

  afterEach('restore the singleton', () => void passport.unuse('local'));

  it('stays untouched by attempt, router and guard', async () => {
    const { changes, send } = await serveHost(passport);
    const staff = { staff: 'ines' };
    const login = { username: 'ines', password: 'staff' };
    expect((await send('POST', '/staff/login', login)).json).to.deep.equal(staff);
    expect((await send('GET', '/staff')).json).to.deep.equal({ user: staff, is: true });

    const answer = await send('POST', '/auth/login', { username: AWA.email, password: PASSWORD });
    const { token } = answer.json as { token: string };
    expect(answer.json).to.deep.equal({ token, user: staff, is: true });
    expectWrongCredentials(await send('POST', '/auth/login', { username: AWA.email, password: 'not the password' }));
    expect((await send('POST', '/v1/login', { email: AWA.email, password: PASSWORD })).status).to.equal(200);
    expect((await send('GET', '/v1/merchant', undefined, bearer(token))).json).to.equal(AWA.id);
    expect(changes).to.deep.equal([]);

    // The staff member is still logged in, and the host's logout still works behind the guard.
    expect((await send('GET', '/staff')).json).to.deep.equal({ user: staff, is: true });
    expect((await send('GET', '/v1/logout', undefined, bearer(token))).json).to.deep.equal({ is: false });
    expect((await send('GET', '/staff')).json).to.deep.equal({ user: null, is: false });
  });
});
