import http from 'node:http';

export interface Post {
  readonly port: number;
  readonly path: string;
  readonly body: unknown;
  readonly token?: string;
  /** Rejects when there is no whole answer by then. */
  readonly withinMs: number;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Posts JSON to a server on loopback. */
export function postJson(agent: http.Agent, { port, path, body, token, withinMs }: Post): Promise<Answer> {
  const json = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = http.request({
      agent,
      host: '127.0.0.1',
      port,
      path,
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(json),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
    });
    const timer = setTimeout(() => request.destroy(new Error(`no answer within ${withinMs} ms`)), withinMs);
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    request.once('error', fail);
    request.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.once('error', fail);
      response.once('end', () => {
        clearTimeout(timer);
        resolve({ status: response.statusCode ?? 0, contentType: response.headers['content-type'] ?? '', text });
      });
    });
    request.end(json);
  });
}
