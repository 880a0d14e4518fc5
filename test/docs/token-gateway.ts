import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Client, serve } from '../helpers/http.js';

/** Returns true when the service must refuse a token at its use of that number. */
type Refuses = (use: number, token: string) => boolean;

/** A proxy in front of an app. It records the requests, and it can end tokens. */
export interface TokenGateway {
  readonly port: number;
  /** Each answered request, for example `GET /v1/transactions/:id 200`. */
  readonly answered: readonly string[];
  /** The tokens that callers have sent, oldest first. */
  readonly tokens: readonly string[];
  refuse(refuses: Refuses): void;
  /** Answers every payment as a handler that may have paid. */
  refusePayments(status: number, body: string, challenge?: string): void;
  /** Answers every GET with a redirect to this address. */
  redirectReads(location: string): void;
}

/** Starts a proxy for this test. */
export async function startTokenGateway({ port: target }: Client): Promise<TokenGateway> {
  const answered: string[] = [];
  const uses = new Map<string, number>();
  let refuses: Refuses = () => false;
  let location: string | undefined;
  let refusal: { readonly status: number; readonly body: string; readonly challenge: string } | undefined;

  /** Changes the signature of a token that must be refused, so that the app itself refuses the token. */
  function headersFor({ headers }: http.IncomingMessage): http.OutgoingHttpHeaders {
    const { authorization } = headers;
    if (authorization === undefined) return headers;
    const token = authorization.replace('Bearer ', '');
    const use = (uses.get(token) ?? 0) + 1;
    uses.set(token, use);
    return refuses(use, token) ? { ...headers, authorization: `${authorization}AAAA` } : headers;
  }

  async function forward(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    const { method = '', url = '' } = req;
    const body = await buffer(req);
    if (location !== undefined && method === 'GET') {
      res.writeHead(302, { Location: location }).end();
      return;
    }
    if (refusal && url === '/v1/transactions') {
      answered.push(`${method} ${url} ${refusal.status}`);
      res.writeHead(refusal.status, { 'WWW-Authenticate': refusal.challenge }).end(refusal.body);
      return;
    }
    const upstream = http.request({ host: '127.0.0.1', port: target, method, path: url, headers: headersFor(req) });
    upstream.on('response', (response) => {
      answered.push(`${method} ${url.replace(/[\da-f-]{36}$/, ':id')} ${response.statusCode ?? 0}`);
      res.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(res);
    });
    upstream.end(body);
  }

  const { port } = await serve((req: http.IncomingMessage, res: http.ServerResponse) => void forward(req, res));
  return {
    port,
    answered,
    get tokens() {
      return [...uses.keys()];
    },
    refuse(next) {
      refuses = next;
    },
    refusePayments(status, body, challenge = 'Bearer') {
      refusal = { status, body, challenge };
    },
    redirectReads(next) {
      location = next;
    },
  };
}
