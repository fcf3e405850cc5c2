// Listens for notifications (LISTEN) that another replica appended events. They are only hints:
// callers also poll, so a lost notification costs at most a second. LISTEN needs its own
// connection, which pools do not provide.

import type { Client } from 'pg';

import { connectClient } from './connections/address.ts';

export type Listener = Readonly<{ close: () => Promise<void> }>;

type Options = {
  url: string;
  onAppended: () => void;
  random: () => number;
};

const reconnectMinMs = 50;
const reconnectMaxMs = 10_000;

/** Keeps listening, also after lost connections, until it is closed. Never throws. */
export function listenForEvents({ url, onAppended, random }: Options): Listener {
  let closed = false;
  let client: Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let failures = 0;

  const connect = async (): Promise<void> => {
    let fresh: Client | null = null;
    try {
      const opened = await connectClient(url, {
        application_name: 'gw listen',
        connectionTimeoutMillis: 2000,
        // Detects a server that disappeared without closing the connection.
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
      });
      fresh = opened;
      client = opened;
      if (closed) {
        await opened.end();
        return;
      }
      opened.on('end', () => retry(opened));
      opened.on('notification', onAppended);
      await opened.query('listen gw_events');
      failures = 0;
      // Wakes the caller for events appended while no connection listened.
      onAppended();
    } catch {
      retry(fresh);
    }
  };

  const retry = (failed: Client | null): void => {
    if (closed || client !== failed) return;
    client = null;
    failed?.end().catch(() => {});
    const waitMs = Math.min(reconnectMaxMs, reconnectMinMs * 2 ** failures) * (0.5 + random() / 2);
    failures = Math.min(failures + 1, 16);
    timer = setTimeout(() => void connect(), waitMs);
    timer.unref();
  };

  void connect();
  return {
    close: async () => {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
