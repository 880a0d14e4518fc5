import path from 'node:path';
import { Router } from 'express';
import helmet from 'helmet';
import type { DemoAccount } from '../demo-accounts.js';
import { createDocument } from '../openapi/document.js';
import { serveHome } from './home.js';

/** Has the same relative path from `dist` and from `src`. */
const PUBLIC = path.resolve(__dirname, '../../public');
const SWAGGER_UI = path.dirname(require.resolve('swagger-ui-dist/package.json'));
/** The package has the Postman collection of this app. */
const PACKAGE_DOCS = path.resolve(require.resolve('express-merchant-auth/package.json'), '../docs');

/** Lists the files that the two pages load. The folder of Swagger UI also has a page that loads data from another site. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': SWAGGER_UI,
  'swagger-ui-bundle.js': SWAGGER_UI,
  'docs.css': PUBLIC,
  'docs.mjs': PUBLIC,
  'home.css': PUBLIC,
  'home.mjs': PUBLIC,
  'snippets.mjs': PUBLIC,
  'icon.svg': PUBLIC,
};

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

  router.get('/openapi.json', (_req, res) => void res.json(document));
  router.get('/postman.json', (_req, res) => res.sendFile('postman.json', { root: PACKAGE_DOCS }));
  router.get('/', setPolicy, serveHome(accounts));
  router.get('/docs', setPolicy, (_req, res) => res.sendFile('docs.html', { root: PUBLIC }));
  for (const [name, root] of Object.entries(ASSETS)) {
    router.get(`/docs/${name}`, (_req, res) => res.sendFile(name, { root }));
  }
  return router;
}
