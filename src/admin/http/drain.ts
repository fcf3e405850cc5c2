// Closes a server gracefully: stops accepting, waits for active requests, and cuts the remaining
// connections after the grace period.

import type { AdminServer } from './server.ts';

const idleCheckMs = 50;

/** Returns the number of connections that were cut. */
export async function drain(server: AdminServer, graceMs: number): Promise<number> {
  let cut = 0;
  const raw = server.server;
  // Closes connections that become idle later, which otherwise delay the close for their keep-alive
  // time.
  const idle = setInterval(() => raw.closeIdleConnections(), idleCheckMs);
  const grace = setTimeout(() => {
    raw.getConnections((_error, count) => {
      cut = count;
      raw.closeAllConnections();
    });
  }, graceMs);
  try {
    await server.close();
    return cut;
  } finally {
    clearInterval(idle);
    clearTimeout(grace);
  }
}
