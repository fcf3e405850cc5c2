// Encodes text for a header of the admin API.

/** Header values are latin1, so UTF-8 bytes are passed through. */
export const inHeader = (text: string): string =>
  Buffer.from(text.replaceAll(/\s+/g, ' ').trim()).toString('latin1');
