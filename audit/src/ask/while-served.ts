import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function whileServed<Result>(
  app: RequestListener,
  use: (baseUrl: string) => Promise<Result>,
): Promise<Result> {
  const { port, close } = await listen(app);
  try {
    return await use(`http://127.0.0.1:${port}`);
  } finally {
    close();
  }
}

export async function listen(app: RequestListener): Promise<{ port: number; close: () => void }> {
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close().closeAllConnections() };
}
