// How an API key is made: `gw-`, 32 random bytes in base 62, six characters of checksum. The checksum lets a scanner of source
// code recognise a key without asking; it protects nothing. Only the SHA-256 of the whole is stored (Authentication rule 10). Admin
// tokens are made in the same way, with a prefix of their own.

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const apiKeyRandomBytes = 32;
export const shownPrefixLength = 12;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = BigInt(alphabet.length);

export type MintedApiKey = Readonly<{
  /** The plaintext, shown once. */
  key: string;
  /** What lists show of it. */
  prefix: string;
  /** 64 hex digits of SHA-256. */
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

/** Fixed width, so that no key says how large its number is. */
function inBase62(value: bigint, width: number): string {
  let digits = '';
  for (let rest = value; digits.length < width; rest /= base) {
    digits = alphabet.charAt(Number(rest % base)) + digits;
  }
  return digits;
}
