import http from 'node:http';

/** A caller that sends a login and can hang up before it has an answer. */
export interface WaitingLogin {
  hangUp(): void;
}

/** Sends a login whose answer nobody reads. */
export function startLogin(port: number, email: string, password: string): WaitingLogin {
  const headers = { 'Content-Type': 'application/json' };
  const request = http.request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/login', headers });
  request.on('error', () => undefined);
  request.end(JSON.stringify({ email, password }));
  return {
    hangUp: () => void request.destroy(),
  };
}
