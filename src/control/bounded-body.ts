// Reads the body of an answer up to a bound.

import type { Dispatcher } from 'undici';

/** Null when it is longer; the rest is not read then. */
export async function readBounded(
  body: Dispatcher.ResponseData['body'],
  bytesMax: number,
): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > bytesMax) return null;
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
