// A fixed address behind which servers come and go: connections are passed on to whichever is there, and refused while none is.

import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';

export type Forwarder = Readonly<{
  url: string;
  /** Null breaks what is open, and refuses what comes. */
  forwardTo: (url: string | null) => void;
}>;

/** It ends with the test. */
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
