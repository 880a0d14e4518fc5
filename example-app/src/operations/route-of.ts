import type { IncomingMessage } from 'node:http';

/** The routes that logs and metrics name. All else is `other`, so that callers cannot make new labels. */
const ROUTES = [
  'POST /v1/login',
  'POST /v1/transactions',
  'GET /v1/transactions',
  'GET /v1/transactions/:id',
  'GET /jwks.json',
] as const;

export type Route = (typeof ROUTES)[number] | 'other';

const patterns = ROUTES.map((route) => {
  return { route, pattern: new RegExp(`^${route.replaceAll('.', '\\.').replace(/:\w+/, '[^/]+')}/?$`, 'i') };
});

/** Returns the route of a request, also when the guard or the limit refuses it before a router sees it. */
export function routeOf({ method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>): Route {
  const [path = ''] = url.split('?', 1);
  return patterns.find(({ pattern }) => pattern.test(`${method} ${path}`))?.route ?? 'other';
}
