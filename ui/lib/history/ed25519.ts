// Verifies Ed25519 signatures (RFC 8032) with the Web Crypto API, which browsers offer only to
// HTTPS, localhost and local files.

import type { Means } from '../../../events/chain.ts';
import { hexBytes } from '../../../events/bytes.ts';

const algorithm = { name: 'Ed25519' };

/** Throws if the browser does not support Ed25519 or the key is invalid. */
const isSigned: Means['isSigned'] = async (text, signature, publicKey) => {
  const { subtle } = crypto;
  const key = await subtle.importKey('raw', hexBytes(publicKey), algorithm, false, ['verify']);
  return subtle.verify(algorithm, key, signature, new TextEncoder().encode(text));
};

export const browserMeans: Means = { isSigned };

export const canVerify = (): boolean => 'subtle' in crypto && crypto.subtle !== undefined;
