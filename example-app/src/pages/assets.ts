import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, type InputType } from 'node:zlib';
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

/** Quality 5 makes Swagger UI a tenth smaller than the default of `compression`, which is 4, for little time. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };

const files = new Map(
  Object.entries(FOLDERS).map(([name, root]) => {
    const content = readFileSync(path.join(root, name));
    const version = createHash('sha256').update(content).digest('base64url').slice(0, 12);
    return [name, { content, version }];
  }),
);

const encoders = {
  br: (content: InputType) => promisify(brotliCompress)(content, { params }),
  gzip: promisify(gzip),
} as const;

/**
 * Compresses an answer. Use it only for routes without a token: the length of a compressed secret beside a text of the
 * caller reveals the secret (BREACH).
 */
export const compress = compression({ brotli: { params } });

/** Adds its version to the address of each file in a page, so that browsers load a file again only after a change. */
export function withVersions(html: string): string {
  return html.replace(/"\/docs\/([\w.-]+)"/g, (address, name: string) => {
    const file = files.get(name);
    return file === undefined ? address : `"/docs/${name}?v=${file.version}"`;
  });
}

/** Serves the files of the pages. Browsers keep a file of the current version, and revalidate every other one. */
export function createAssetRouter(): Router {
  const router = Router();
  for (const [name, { version, content }] of files) {
    // Kept for all requests, because to compress Swagger UI costs more than a login.
    const encoded: Partial<Record<keyof typeof encoders, Buffer>> = {};
    router.get(`/docs/${name}`, async (req, res) => {
      const encoding = (['br', 'gzip'] as const).find((name) => req.acceptsEncodings(name));
      const body = encoding === undefined ? content : (encoded[encoding] ??= await encoders[encoding](content));
      const isCurrent = req.query['v'] === version;
      res.set('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
      res.set('ETag', `W/"${version}"`).vary('Accept-Encoding').type(path.extname(name));
      if (encoding !== undefined) res.set('Content-Encoding', encoding);
      res.send(body);
    });
  }
  return router;
}
