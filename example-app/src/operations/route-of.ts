import type { IncomingMessage } from 'node:http';

/** Lists the routes that logs and metrics name. Every other route is `other`, so that callers cannot create labels. */
export const ROUTES = [
  'POST /v1/login',
  'POST /v1/transactions',
  'GET /v1/transactions',
  'GET /v1/transactions/:id',
  'GET /jwks.json',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/:asset',
  'GET /',
] as const;

export type Route = (typeof ROUTES)[number] | 'other';

const patterns = ROUTES.map((route) => {
  return { route, pattern: new RegExp(`^${route.replaceAll('.', '\\.').replace(/:\w+/, '[^/]+')}/?$`, 'i') };
});

/** Returns the route of a request. It does not need the router, because the guard or the limit may refuse earlier. */
export function routeOf({ method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>): Route {
  const [path = ''] = url.split('?', 1);
  return patterns.find(({ pattern }) => pattern.test(`${method} ${path}`))?.route ?? 'other';
}
