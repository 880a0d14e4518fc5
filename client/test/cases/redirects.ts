import type { IncomingMessage, ServerResponse } from 'node:http';
import { INVALID_TOKEN } from '../../../test/helpers/answers.js';
import { serve } from '../../../test/helpers/http.js';
import { successBody } from '../stub-service.js';

/** A page of the example app comes from an origin other than these servers. */
const CORS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'authorization, content-type' };

const CHALLENGE = { 'WWW-Authenticate': 'Bearer', 'Access-Control-Expose-Headers': 'WWW-Authenticate' };

/**
 * Serves an API that redirects `/v1/paid` to a path that refuses the token. It never answers `/v1/silent`, and redirects
 * all other paths to another origin.
 */
export async function serveRedirects() {
  const other = await serve((req: IncomingMessage, res: ServerResponse) => {
    const authorization = req.headers.authorization ?? null;
    const date = 'Thu, 15 Jan 2099 12:00:00 GMT';
    answer(res, req.method === 'OPTIONS' ? 204 : 401, { Date: date }, { reached: 'another origin', authorization });
  });
  const { port } = await serve((req: IncomingMessage, res: ServerResponse) => {
    if (req.method === 'OPTIONS') answer(res, 204);
    else if (req.url === '/v1/login') answer(res, 200, {}, successBody('token-1'));
    else if (req.url === '/v1/paid') redirect(res, 303, '/v1/refused');
    else if (req.url === '/v1/refused') answer(res, 401, CHALLENGE, { success: false, error: INVALID_TOKEN });
    else if (req.url !== '/v1/silent') redirect(res, 307, `http://127.0.0.1:${other.port}/away`);
  });
  return { baseUrl: `http://127.0.0.1:${port}/v1` };
}

function answer(res: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}, body?: object) {
  res.writeHead(status, { ...CORS, ...headers }).end(status === 204 ? undefined : JSON.stringify(body));
}

function redirect(res: ServerResponse, status: number, location: string) {
  answer(res, status, { Location: location }, { message: `Moved to ${location}` });
}
