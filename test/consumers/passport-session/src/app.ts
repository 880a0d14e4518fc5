import express, { type Express, type Request } from 'express';
import * as auth from 'express-merchant-auth';
import session from 'express-session';
import passport, { Strategy } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';

export interface ShopAccount extends auth.MerchantAccount {
  readonly shop: string;
}

const KOFI: Express.User = { name: 'kofi', mayRefund: true };

/** The strategy of the host's other API, whose keys are in a header. */
class OtherJwtStrategy extends Strategy {
  override readonly name = 'jwt';

  override authenticate(this: passport.StrategyCreated<this>, req: Request): void {
    if (req.headers['x-staff-key'] === 'of kofi') this.success(KOFI);
    else this.fail('Staff', 401);
  }
}

passport.use(new OtherJwtStrategy());
passport.use(
  new LocalStrategy({ usernameField: 'name', session: true }, (name, password, done) => {
    done(null, name === KOFI.name && password === 'calebasse-2026' && KOFI);
  }),
);
passport.serializeUser((user, done) => done(null, user.name));
passport.deserializeUser((name, done) => done(null, name === KOFI.name && KOFI));

/** A back office with sessions, and README's shortest host for the merchants, on one app. */
export function createApp(userStore: auth.UserStore<ShopAccount>): Express {
  const app = express();
  app.use(session({ secret: 'of the sessions of this host', resave: false, saveUninitialized: false }));
  app.use(passport.initialize());
  app.use(passport.session());

  app.post('/staff/login', express.json(), passport.authenticate('local'), (req, res) => {
    res.json({ name: req.user?.name });
  });
  app.get('/staff/me', (req, res) => {
    res.json({ user: req.user ?? null, isAuthenticated: req.isAuthenticated() });
  });
  app.get('/staff/key', passport.authenticate('jwt', { session: false }), (req, res) => {
    const mayRefund: boolean | undefined = req.user?.mayRefund;
    res.json({ mayRefund });
  });

  app.use('/v1', auth.createLoginRouter(userStore));
  app.use('/v1', auth.requireBearer({ userStore }));
  app.get('/v1/shop', (req, res) => {
    const shop: string = auth.merchantOf<ShopAccount>(req).account.shop;
    res.json({ shop });
  });
  app.post('/v1/transactions', auth.requireOwnReference(), (req, res) => {
    const { referencl } = auth.merchantOf(req);
    res.status(201).json({ refercence_cl: referencl, amount: req.body?.amount });
  });
  app.use(auth.authErrorHandler());
  return app;
}
