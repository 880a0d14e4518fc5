import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { constants } from 'node:zlib';
import compression from 'compression';
import { Router } from 'express';

/** Has the same relative path from `dist` and from `src`. */
export const PUBLIC = path.resolve(__dirname, '../../public');
const SWAGGER_UI = path.dirname(require.resolve('swagger-ui-dist/package.json'));

/** Lists the files that the two pages load. The folder of Swagger UI also has a page that loads data from another site. */
const FOLDERS: Readonly<Record<string, string>> = {
  'swagger-ui.css': SWAGGER_UI,
  'swagger-ui-bundle.js': SWAGGER_UI,
  'docs.css': PUBLIC,
  'docs.mjs': PUBLIC,
  'home.css': PUBLIC,
  'home.mjs': PUBLIC,
  'snippets.mjs': PUBLIC,
  'icon.svg': PUBLIC,
};

const versions = new Map(
  Object.entries(FOLDERS).map(([name, root]) => {
    const digest = createHash('sha256').update(readFileSync(path.join(root, name)));
    return [name, digest.digest('base64url').slice(0, 12)];
  }),
);

/**
 * Compresses an answer. Use it only for routes without a token: the length of a compressed secret beside a text of the
 * caller reveals the secret (BREACH). Quality 5 makes Swagger UI a tenth smaller than the default 4, for little time.
 */
export const compress = compression({ brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } } });

/** Adds its version to the address of each file in a page, so that browsers load a file again only after a change. */
export function withVersions(html: string): string {
  return html.replace(/"\/docs\/([\w.-]+)"/g, (address, name: string) => {
    const version = versions.get(name);
    return version === undefined ? address : `"/docs/${name}?v=${version}"`;
  });
}

/** Serves the files of the pages. Browsers keep a file of the current version, and revalidate every other one. */
export function createAssetRouter(): Router {
  const router = Router();
  for (const [name, root] of Object.entries(FOLDERS)) {
    router.get(`/docs/${name}`, compress, (req, res) => {
      const isCurrent = req.query['v'] === versions.get(name);
      res.set('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
      // A range of a compressed answer would not be a range of the file.
      res.sendFile(name, { root, cacheControl: false, acceptRanges: false });
    });
  }
  return router;
}
