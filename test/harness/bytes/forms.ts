// Writes forms byte by byte, and reads them with Node's own reader as the oracle.

/** Both in Latin-1: a character is a byte. `head` is without its last line end. */
export type FormPart = Readonly<{ head: string; content: string }>;

export const writeForm = (boundary: string, parts: readonly FormPart[]): Buffer =>
  Buffer.from(
    parts.map(({ head, content }) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`).join('') +
      `--${boundary}--\r\n`,
    'latin1',
  );

/** Names and contents in order, of files too; null when it is no form. */
export async function readByNode(
  boundary: string,
  bytes: Buffer,
): Promise<readonly (readonly [name: string, content: string])[] | null> {
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  try {
    const form = await new Response(new Uint8Array(bytes), { headers }).formData();
    return await Promise.all(
      [...form].map(
        async ([name, value]) =>
          [name, typeof value === 'string' ? value : await value.text()] as const,
      ),
    );
  } catch {
    return null;
  }
}
