import { expect } from 'chai';
import type { Router } from 'express';
import { AWA, FERMEE } from '../../../test/helpers/accounts.js';
import { ACCOUNT_DISABLED, MISSING_TOKEN } from '../../../test/helpers/answers.js';
import { FRAMEWORK } from '../../../test/helpers/on-each-express.js';
import { outcomeOfCase } from '../contract.js';
import { hostWith, pass, status, testHosts } from '../hosts.js';

const { express } = FRAMEWORK;

const LOGIN = {
  ...{ status: 'Success', success: true, code: 200, message: 'Login success' },
  user: { email: AWA.email, phone: '' },
  marchand: AWA.marchand,
  authorisation: { token: 'x', type: 'bearer' },
};

describe('the advice of the contract', () => {
  testHosts('login and guard', {
    'is that an own login does not use login.attempt, where it lets a disabled account in': {
      login: (req, res) => void res.json({ token: req.path }),
      ownLogin: { body: (email, password) => ({ email, password }), tokenOf: () => 'x' },
      says: `…POST /v1/login (a disabled account) got 200 in place of 401 ${ACCOUNT_DISABLED}. This route does not use login.attempt, which refuses the account, or findCredentials returns it without disabled: true. …`,
    },
  });

  const findCredentials = 'Let findCredentials return disabled accounts too, with disabled: true.';
  testHosts('login and guard', {
    'is to return disabled accounts, where createLoginRouter lets one in': {
      login: (_req, res) => void res.set('Cache-Control', 'no-store').json(LOGIN),
      says: `…POST /v1/login (a disabled account) got 200 in place of 401 ${ACCOUNT_DISABLED}. ${findCredentials} …`,
    },
    'is the same where an own login does not find one': {
      before: express.json(),
      login: ({ body }, res) =>
        void res.status((body as { email?: unknown }).email === FERMEE.email ? 404 : 200).json({}),
      ownLogin: { body: (email, password) => ({ email, password }), tokenOf: () => 'x' },
      says: `…POST /v1/login (a disabled account) got 404 in place of 401 ${ACCOUNT_DISABLED}. ${findCredentials} …`,
    },
  });

  testHosts('login and guard', {
    'is to send error.status, before the host failed, for a refusal with 500': {
      guard: (_req, res) => status(500, { oops: true })(res),
      says: `…POST /v1/transactions (no token) got 500 in place of 401 ${MISSING_TOKEN}. If respond or an error handler of yours wrote this answer, send error.status there. The host or its store failed: …`,
    },
  });

  it('is one line for a router that hides the paths', async () => {
    const host = hostWith({ mount: (app) => app.use('/v1/a', express.Router().get('/x', pass)) });
    const { stack } = (host.app as unknown as { readonly router: Router }).router;
    for (const layer of stack) Reflect.deleteProperty(layer, 'rawPath');
    expect(await outcomeOfCase('each route', host)).to.equal(
      'authContract: The package router before 2.3 does not expose the path of a mount, so nothing below it can be checked. Update it: npm update router.',
    );
  });
});
