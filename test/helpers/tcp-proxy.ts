import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

/** A proxy in front of a real server. It simulates failures of that server for one test. */
interface TcpProxy {
  readonly port: number;
  /** Closes all connections and refuses new ones. */
  refuse(): Promise<void>;
  /** Accepts connections and bytes, and answers nothing. Existing connections stay open. */
  hang(): void;
  /** Forwards nothing on existing connections and leaves them open, like a firewall that dropped its state. New ones work. */
  mute(): void;
  /** Closes hanging connections and forwards new ones. */
  restore(): Promise<void>;
}

const closers = new Set<() => Promise<void>>();

export async function startTcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const sockets = new Set<net.Socket>();
  const muted = new WeakSet<net.Socket>();
  let isHanging = false;
  let server: net.Server | undefined;

  function keep(socket: net.Socket): void {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  }

  function forward(client: net.Socket): void {
    keep(client);
    if (isHanging) {
      client.resume();
      return;
    }
    const upstream = net.connect(target.port, target.host);
    keep(upstream);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (bytes) => isHanging || muted.has(from) || to.write(bytes));
      from.on('close', () => to.destroy());
    }
  }

  async function listen(port: number): Promise<number> {
    server = net.createServer(forward).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  function endConnections(): void {
    for (const socket of sockets) socket.destroy();
  }

  async function refuse(): Promise<void> {
    const listening = server;
    server = undefined;
    endConnections();
    if (listening === undefined) return;
    listening.close();
    await once(listening, 'close');
  }

  const port = await listen(0);
  closers.add(refuse);
  return {
    port,
    refuse,
    hang() {
      isHanging = true;
    },
    mute() {
      isHanging = false;
      for (const socket of sockets) muted.add(socket);
    },
    async restore() {
      isHanging = false;
      endConnections();
      if (server === undefined) await listen(port);
    },
  };
}

afterEach('stop the proxies', async () => {
  for (const close of closers) await close();
  closers.clear();
});
