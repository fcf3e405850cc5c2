// Signatures of checkpoints and of packs: Ed25519 (RFC 8032) by the browser, over signed notes (https://c2sp.org/signed-note).

import type { Digest } from './sha256.ts';

/** What a note must state. `hash` and `key` are 64 hex digits. */
export type Stated = Readonly<{
  logId: string;
  position: number;
  hash: string;
  key: string | null;
}>;

const algorithm = { name: 'Ed25519' };
/** In front of a signature stand 4 bytes that name its key. */
const keyIdBytes = 4;

/** Whether this key made the signature. Throws when the browser knows no Ed25519, or the key is none. */
export async function isSigned(text: string, signature: string, key: string): Promise<boolean> {
  const imported = await crypto.subtle.importKey('raw', hexBytes(key), algorithm, false, [
    'verify',
  ]);
  const bytes = new TextEncoder().encode(text);
  return crypto.subtle.verify(algorithm, imported, base64Bytes(signature), bytes);
}

/** Whether a note states this, byte by byte, and the key that is in force there signed it. */
export async function isCheckpoint(digest: Digest, note: string, stated: Stated): Promise<boolean> {
  const { logId, position, hash, key } = stated;
  const text = `gw/${logId}\n${position}\n${base64Of(hexBytes(hash))}\n`;
  const signed = base64Bytes(note.slice(note.lastIndexOf(' ') + 1));
  if (note !== `${text}\n— gw/${logId} ${base64Of(signed)}\n` || key === null) return false;
  const named = new TextEncoder().encode(`gw/${logId}\n\u0001`);
  const keyId = digest(Uint8Array.of(...named, ...hexBytes(key)));
  if (!keyId.startsWith(hexOf(signed.subarray(0, keyIdBytes)))) return false;
  return isSigned(text, base64Of(signed.subarray(keyIdBytes)), key);
}

export function hexBytes(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.floor(hex.length / 2));
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
  }
  return bytes;
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** What is no base64 in it is passed over: that it was written so is held by writing it again. */
export function base64Bytes(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.replaceAll(/[^A-Za-z\d+/]/g, '');
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return Uint8Array.from(atob(whole), (byte) => byte.charCodeAt(0));
}
