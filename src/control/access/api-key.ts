// Creates API keys: `gw-`, 32 random bytes in base 62 and a six-character checksum, by which
// scanners of source code recognise a key offline. Only the SHA-256 of the key is stored
// (Authentication rule 10). Admin tokens have the same format with another prefix.

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const apiKeyRandomBytes = 32;
export const shownPrefixLength = 12;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = BigInt(alphabet.length);

export type MintedApiKey = Readonly<{
  key: string;
  prefix: string;
  /** SHA-256, 64 hex digits. */
  verifier: string;
}>;

export const mintApiKey = (random: Uint8Array): MintedApiKey => mint('gw-', random);

export function mint(start: string, random: Uint8Array): MintedApiKey {
  const body = start + inBase62(BigInt(`0x${Buffer.from(random).toString('hex')}`), 43);
  const key = body + checksum(body);
  return { key, prefix: key.slice(0, shownPrefixLength), verifier: hash('sha256', key) };
}

const checksumLength = 6;
const checksum = (body: string): string => inBase62(BigInt(crc32(body)), checksumLength);

export const hasChecksum = (text: string): boolean =>
  text.length > checksumLength &&
  checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);

/** A fixed width, so that the length of a key does not reveal the size of its number. */
function inBase62(value: bigint, width: number): string {
  let digits = '';
  for (let rest = value; digits.length < width; rest /= base) {
    digits = alphabet.charAt(Number(rest % base)) + digits;
  }
  return digits;
}
