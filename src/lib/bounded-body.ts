// Reads a response body up to a size limit.

/** Null, without reading the rest, if the body is longer. */
export async function readBoundedBytes(
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Null, without reading the rest, if the text is longer. */
export const readBounded = async (
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string | null> => (await readBoundedBytes(body, bytesMax))?.toString('utf8') ?? null;
