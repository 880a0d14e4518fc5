import client = require('express-merchant-auth-client');

export = { create: client.createMerchantClient };
