// Listens at a fixed address and forwards connections to a server that can be replaced. Refuses
// connections while there is no server.

import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';

export type Forwarder = Readonly<{
  url: string;
  /** Null closes the open connections and refuses new ones. */
  forwardTo: (url: string | null) => void;
}>;

/** Stops when the test ends. */
export async function startForwarder(test: Pick<TestContext, 'after'>): Promise<Forwarder> {
  const sockets = new Set<Socket>();
  let target: URL | null = null;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    return socket.on('close', () => sockets.delete(socket));
  };
  const breakAll = (): void => sockets.forEach((socket) => socket.destroy());
  const server = createServer((client) => {
    keep(client);
    if (target === null) return void client.destroy();
    const upstream = keep(connect(Number(target.port), target.hostname));
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    breakAll();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    forwardTo: (url) => {
      target = url === null ? null : new URL(url);
      breakAll();
    },
  };
}
