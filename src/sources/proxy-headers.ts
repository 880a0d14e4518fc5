import type { IncomingHttpHeaders } from 'node:http';

/** The only header of a proxy that Express reads. */
const FORWARDED_FOR = 'x-forwarded-for';

/** Headers that only proxies write, beside other names that begin with `X-Forwarded-`. */
const PROXY_HEADERS: ReadonlySet<string> = new Set([
  ...['x-forwarded', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto', 'x-forwarded-server'],
  ...['forwarded', 'via', 'cdn-loop', 'x-original-forwarded-for', 'x-envoy-external-address', 'x-varnish'],
  ...['client-ip', 'x-client-ip', 'x-real-ip', 'x-remote-ip', 'true-client-ip', 'x-client-real-ip'],
  ...['proxy-client-ip', 'wl-proxy-client-ip', 'x-proxyuser-ip', 'x-cluster-client-ip', 'do-connecting-ip'],
  ...['cf-connecting-ip', 'cf-connecting-ipv6', 'cf-ray', 'eo-connecting-ip', 'cloudfront-viewer-address'],
  ...['fastly-client-ip', 'fly-client-ip', 'incap-client-ip', 'x-sucuri-clientip', 'ali-cdn-real-ip'],
  ...['x-azure-clientip', 'x-azure-socketip', 'x-azure-fdid', 'x-azure-ref', 'x-arr-log-id'],
  ...['x-appengine-user-ip', 'x-nf-client-connection-ip', 'x-vercel-forwarded-for'],
]);

/** A caller can choose what follows `X-Forwarded-`, so this text is not returned. */
export function proxyHeaderIn(headers: IncomingHttpHeaders): string | undefined {
  if (headers[FORWARDED_FOR] !== undefined) return FORWARDED_FOR;
  const names = Object.keys(headers);
  const known = names.find((name) => PROXY_HEADERS.has(name));
  return known ?? (names.some((name) => name.startsWith('x-forwarded-')) ? 'x-forwarded-*' : undefined);
}
