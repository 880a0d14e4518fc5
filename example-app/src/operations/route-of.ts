import type { IncomingMessage } from 'node:http';

/** Lists the routes that logs and metrics name. Every other route is `other`, so that callers cannot create labels. */
export const ROUTES = [
  'POST /v1/login',
  'POST /v1/transactions',
  'GET /v1/transactions',
  'GET /v1/transactions/:id',
  'GET /jwks.json',
  'GET /openapi.json',
  'GET /postman.json',
  'GET /docs',
  'GET /docs/:asset',
  'GET /',
] as const;

/** The probes, which are answered before logs and metrics. */
const PROBES = ['GET /healthz', 'GET /readyz'] as const;

export type Route = (typeof ROUTES)[number] | 'other';

const patterns = ROUTES.map((route) => ({ route, pattern: patternOf(route) }));
const byMethod = [...ROUTES, ...PROBES].map((route) => {
  const [method = '', path = ''] = route.split(' ');
  return { method, pattern: patternOf(path) };
});

function patternOf(route: string): RegExp {
  return new RegExp(`^${route.replaceAll('.', '\\.').replace(/:\w+/, '[^/]+')}/?$`, 'i');
}

/** Returns the route of a request. It does not need the router, because the guard or the limit may refuse earlier. */
export function routeOf({ method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>): Route {
  const [path = ''] = url.split('?', 1);
  return patterns.find(({ pattern }) => pattern.test(`${method} ${path}`))?.route ?? 'other';
}

/** Returns the methods of the routes with this path, sorted. The list is empty for an unknown path. */
export function methodsOf(path: string): readonly string[] {
  return byMethod
    .filter(({ pattern }) => pattern.test(path))
    .map(({ method }) => method)
    .sort();
}
