import type { IncomingMessage, ServerResponse } from 'node:http';
import { startApp } from '../../../test/example-app/app-process.js';
import { serve } from '../../../test/helpers/http.js';
import { successBody } from '../stub-service.js';
import type { World } from './world.js';

/** A page of the example app is of another origin than the servers of this file. */
const CORS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'authorization, content-type' };

/** Starts the services that the cases call. */
export async function startServices(): Promise<World> {
  const { port } = await startApp();
  return { baseUrl: `http://127.0.0.1:${port}/v1`, redirectingUrl: await serveRedirects() };
}

async function serveRedirects(): Promise<string> {
  const other = await serve(({ method, headers }: IncomingMessage, res: ServerResponse) => {
    const authorization = headers.authorization ?? null;
    answer(res, method === 'OPTIONS' ? 204 : 401, {}, { reached: 'another origin', authorization });
  });
  const { port } = await serve(({ method, url }: IncomingMessage, res: ServerResponse) => {
    if (method === 'OPTIONS') answer(res, 204, {});
    else if (url === '/v1/login') answer(res, 200, {}, successBody('a-token'));
    else answer(res, 307, { Location: `http://127.0.0.1:${other.port}/away` });
  });
  return `http://127.0.0.1:${port}/v1`;
}

function answer(res: ServerResponse, status: number, headers: Readonly<Record<string, string>>, body?: unknown): void {
  res.writeHead(status, { ...CORS, ...headers }).end(status === 204 ? undefined : JSON.stringify(body));
}
