import http from 'node:http';

/** A caller that sends a login and can disconnect before the answer. */
export interface WaitingLogin {
  hangUp(): void;
}

/** Sends a login and does not read the answer. */
export function startLogin(port: number, email: string, password: string): WaitingLogin {
  return startPost(port, '/v1/login', { email, password });
}

/** Sends a JSON body on a new connection and does not read the answer. */
export function startPost(port: number, path: string, body: object): WaitingLogin {
  const headers = { 'Content-Type': 'application/json' };
  const request = http.request({ port, host: '127.0.0.1', method: 'POST', path, headers, agent: false });
  request.on('error', () => undefined);
  request.end(JSON.stringify(body));
  return {
    hangUp: () => void request.destroy(),
  };
}
