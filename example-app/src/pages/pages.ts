import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Router } from 'express';
import helmet from 'helmet';
import type { DemoAccount } from '../demo-accounts.js';
import { createDocument } from '../openapi/document.js';
import { compress, createAssetRouter } from './assets.js';
import { renderDocs } from './docs.js';
import { serveHome } from './home.js';

/** The package has the Postman collection of this app. */
const POSTMAN = readFileSync(
  path.resolve(require.resolve('express-merchant-auth/package.json'), '../docs/postman.json'),
);

/** Allows this origin only, and no inline script or style. The images in Swagger UI's style are data URLs. */
const setPolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
});

/** Serves the two pages, /openapi.json and /postman.json. They need no token, because they contain no secret. */
export function createPageRouter(accounts: readonly DemoAccount[]): Router {
  const router = Router();
  const document = createDocument(accounts);
  const docs = renderDocs(document);

  router.get('/openapi.json', compress, (_req, res) => void res.json(document));
  router.get('/postman.json', compress, (_req, res) => void res.type('json').send(POSTMAN));
  router.get('/', compress, setPolicy, serveHome(accounts));
  router.get('/docs', compress, setPolicy, (_req, res) => void res.type('html').send(docs));
  router.use(createAssetRouter());
  return router;
}
