// Classifies the bytes that are allowed in a message head (RFC 9110, 5.5 and 5.6.2).

export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;
export const space = 0x20;
export const colon = 0x3a;
const tab = 0x09;

/** Bit 1: allowed in a field name. Bit 2: allowed in a field value. */
const allowed = new Uint8Array(256);
for (let byte = 0x20; byte < 256; byte++) if (byte !== 0x7f) allowed[byte] = 2;
allowed[tab] = 2;
for (const character of "!#$%&'*+-.^_`|~") allowed[character.charCodeAt(0)] = 3;
for (let byte = 0x30; byte < 0x7b; byte++) {
  if (/[0-9A-Za-z]/.test(String.fromCharCode(byte))) allowed[byte] = 3;
}

export const isInName = (byte: number | undefined): boolean =>
  ((allowed[byte ?? 0] ?? 0) & 1) !== 0;
export const isInValue = (byte: number | undefined): boolean =>
  ((allowed[byte ?? 0] ?? 0) & 2) !== 0;

export const isBlank = (byte: number | undefined): boolean => byte === space || byte === tab;

/** The value of a decimal digit, or -1. */
export const digit = (byte: number | undefined): number =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : -1;

/** Ignores case. `name` must consist of lower-case letters and hyphens. */
export function isNamed(bytes: Buffer, from: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if (((bytes[from + index] ?? 0) | 0x20) !== name.charCodeAt(index)) return false;
  }
  return true;
}
