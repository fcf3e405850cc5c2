// Writes multipart forms byte by byte, and reads them with Node's own parser as the oracle.

/** Both are in Latin-1, one byte per character. `head` has no final line break. */
export type FormPart = Readonly<{ head: string; content: string }>;

export const writeForm = (boundary: string, parts: readonly FormPart[]): Buffer =>
  Buffer.from(
    parts.map(({ head, content }) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`).join('') +
      `--${boundary}--\r\n`,
    'latin1',
  );

/** The names and contents in order, including files; null if the body is not a form. */
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
