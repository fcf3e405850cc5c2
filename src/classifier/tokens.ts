// The words of a text for the built-in encoder: runs of letters and digits, in lower case, each as a hash, so that no string is
// made for one. In scripts without blanks between words a run is a sentence; then its parts do the work.

/** FNV-1a over UTF-16 code units, mixed at the end because buckets are taken from the low bits. 32 bits, signed: engines are
 * quickest with those. */
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

/** As the word table and every text are spelled. */
export const spelled = (text: string): string => text.normalize('NFC').toLowerCase();

/** Beyond ASCII, everything but blanks, punctuation and signs of the common blocks is a letter. */
export function isWordUnit(unit: number): boolean {
  if (unit < 0x80) return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
  if (unit < 0xc0) return unit === 0xb5;
  if (unit >= 0x2000 && unit <= 0x2bff) return false;
  return unit !== 0xd7 && unit !== 0xf7 && !(unit >= 0x3000 && unit <= 0x303f) && unit < 0xff00;
}
