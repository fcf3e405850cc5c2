// How a process of the benchmark says where it listens, and how it ends when the run that started it is gone.

import type { Server } from 'node:net';

/** The line that `announce` prints. */
export const announced = /^listening on (\d+)$/;

/** Standard input is held open by the run: its end means that nobody is left to stop this process. */
export function announce(server: Server): void {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  console.log(`listening on ${address.port}`);
  process.stdin.resume().on('end', () => process.exit(0));
}
