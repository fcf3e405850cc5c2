// Runs a proxy in front of Postgres that breaks a connection at its next commit.

import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';

/**
 * `answered`: the commit succeeds but its response is lost. `held`: the client is disconnected at
 * its commit, which the server receives only after another connection sends a statement that
 * contains `until`.
 */
export type CommitFault = Readonly<{ kind: 'answered' } | { kind: 'held'; until: string }>;

export type PostgresProxy = Readonly<{
  url: string;
  /** Breaks the next commit only. */
  breakCommit: (fault: CommitFault) => void;
}>;

export async function postgresProxy(
  test: Pick<TestContext, 'after'>,
  databaseUrl: string,
): Promise<PostgresProxy> {
  const { host, port, rest } = partsOf(databaseUrl);
  const sockets = new Set<Socket>();
  let armed: CommitFault | null = null;
  let held: { until: string; release: () => void } | null = null;

  const server = createServer((client) => {
    const upstream = host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port}`)
      : connect(Number(port), host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    let answerLost = false;
    client.on('data', (chunk: Buffer) => {
      if (held !== null && chunk.includes(held.until)) {
        held.release();
        held = null;
      }
      if (armed === null || !chunk.includes('COMMIT')) return void upstream.write(chunk);
      const fault = armed;
      armed = null;
      if (fault.kind === 'answered') {
        answerLost = true;
        return void upstream.write(chunk);
      }
      held = { until: fault.until, release: () => void upstream.write(chunk) };
      client.destroy();
    });
    upstream.on('data', (chunk: Buffer) => {
      if (answerLost) client.destroy();
      else if (!client.destroyed) client.write(chunk);
    });
    client.on('end', () => upstream.end());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `postgres://gw@127.0.0.1:${address.port}${rest}`,
    breakCommit: (fault) => {
      armed = fault;
    },
  };
}

function partsOf(url: string): { host: string; port: string; rest: string } {
  const [, host, port, rest] = /^[^:]+:\/\/[^@]*@([^:/]+)(?::(\d+))?(\/.*)$/.exec(url) ?? [];
  if (host === undefined || rest === undefined) throw new Error(`not a database URL: ${url}`);
  return { host: decodeURIComponent(host), port: port ?? '5432', rest };
}
