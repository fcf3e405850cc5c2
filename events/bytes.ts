// Converts bytes to and from hexadecimal and base64, in Node and in browsers.

const digitValues = new Uint8Array(128);
for (let value = 0; value < 16; value += 1) {
  const digit = value.toString(16);
  digitValues[digit.charCodeAt(0)] = value;
  digitValues[digit.toUpperCase().charCodeAt(0)] = value;
}

const valueAt = (hex: string, at: number): number => digitValues[hex.charCodeAt(at)] ?? 0;

/** A lookup table, because verifying a log calls this for every event. */
export function hexBytes(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length >>> 1);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = (valueAt(hex, at * 2) << 4) | valueAt(hex, at * 2 + 1);
  }
  return bytes;
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/**
 * Skips characters that are not base64. A caller that needs the exact text must encode the bytes
 * again and compare.
 */
export function base64Bytes(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.replaceAll(/[^A-Za-z\d+/]/g, '');
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return Uint8Array.from(atob(whole), (byte) => byte.charCodeAt(0));
}
