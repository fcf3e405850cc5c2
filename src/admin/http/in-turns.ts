// Yields to other requests while it sends long generated text, so that a fast reader does not block
// the event loop.

import { setImmediate as turn } from 'node:timers/promises';

/** UTF-16 units. One chunk of review rows takes about 10 ms. */
const chunkLengthMin = 65_536;

/** Joins the pieces into longer chunks and yields to the event loop between them. */
export async function* inTurns(
  pieces: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let chunk = '';
  for await (const piece of pieces) {
    chunk += piece;
    if (chunk.length < chunkLengthMin) continue;
    yield chunk;
    chunk = '';
    await turn();
  }
  if (chunk !== '') yield chunk;
}
