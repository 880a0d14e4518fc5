import http from 'node:http';

/** Sends a login on a new connection, and does not read the answer. The caller can disconnect before it. */
export function startLogin(port: number, email: string, password: string): { hangUp(): void } {
  const headers = { 'Content-Type': 'application/json' };
  const request = http.request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/login', headers, agent: false });
  request.on('error', () => undefined);
  request.end(JSON.stringify({ email, password }));
  return {
    hangUp: () => void request.destroy(),
  };
}
