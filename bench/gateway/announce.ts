// Prints where a process of the benchmark listens, and ends the process when the run that started it is gone.

import type { Server } from 'node:net';

/** The line that `announce` prints. */
export const announced = /^listening on (\d+)$/;

/** The run keeps standard input open. When it closes, the run is gone and this process must end itself. */
export function announce(server: Server): void {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  console.log(`listening on ${address.port}`);
  process.stdin.resume().on('end', () => process.exit(0));
}
