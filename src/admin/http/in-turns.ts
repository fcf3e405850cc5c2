// Text that is made while it is sent: a fast reader would keep the process at nothing else until its end.

import { setImmediate as turn } from 'node:timers/promises';

/** UTF-16 units: some 10 ms of a core, for rows of a review. */
const chunkLengthMin = 65_536;

/** The same text in longer chunks, with a turn for other requests between two. */
export async function* inTurns(pieces: Iterable<string>): AsyncGenerator<string, void, undefined> {
  let chunk = '';
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < chunkLengthMin) continue;
    yield chunk;
    chunk = '';
    await turn();
  }
  if (chunk !== '') yield chunk;
}
