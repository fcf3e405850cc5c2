// Closes a server in order: it stops accepting, requests under way end, and what is still open after the grace is cut.

import type { AdminServer } from './server.ts';

const idleCheckMs = 50;

/** Answers how many connections were cut. */
export async function drain(server: AdminServer, graceMs: number): Promise<number> {
  let cut = 0;
  const raw = server.server;
  // A connection that becomes idle later would hold the close for its whole keep-alive.
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
