// In the same program, the declarations for `require` and those for `import` have to fit together.
import auth = require('express-merchant-auth');
import audit = require('express-merchant-auth-audit');
import client = require('express-merchant-auth-client');
import openapi = require('express-merchant-auth/openapi');
import testing = require('express-merchant-auth/testing');

const tokens: auth.Tokens = auth.createTokens();
const guard: auth.Middleware = auth.requireBearer({ tokens });

export = {
  guard,
  contract: audit.authContract,
  error: client.MerchantApiError,
  paths: openapi.openApi().paths,
  testTokens: testing.createTestTokens(tokens),
};
