// Splits a text into words for the built-in encoder: runs of letters and digits in lower case.
// Hashes each directly, so no string is allocated. In scripts without blanks a run is a sentence,
// and the encoder uses its parts.

/**
 * FNV-1a over UTF-16 code units, mixed at the end because buckets use the low bits. Signed 32 bits,
 * which engines handle fastest.
 */
export const hashStart = 0x811c9dc5;
export const hashNext = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);
export function hashEnd(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 12);
}

export function hashOf(text: string): number {
  let hash = hashStart;
  for (let at = 0; at < text.length; at++) hash = hashNext(hash, text.charCodeAt(at));
  return hashEnd(hash);
}

/** The word table contains words in this form. */
export const spelled = (text: string): string => text.normalize('NFC').toLowerCase();

/**
 * Outside ASCII, every character is a letter except blanks, punctuation and signs of the common
 * blocks.
 */
export function isWordUnit(unit: number): boolean {
  if (unit < 0x80) return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
  if (unit < 0xc0) return unit === 0xb5;
  if (unit >= 0x2000 && unit <= 0x2bff) return false;
  return unit !== 0xd7 && unit !== 0xf7 && !(unit >= 0x3000 && unit <= 0x303f) && unit < 0xff00;
}
