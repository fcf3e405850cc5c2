// Ed25519 (RFC 8032) by the browser, for the check of a chain. Browsers offer it only to pages over HTTPS, of this machine or from a disk.

import type { Means } from '../../../events/chain.ts';
import { hexBytes } from '../../../events/bytes.ts';

const algorithm = { name: 'Ed25519' };

/** Throws when the browser does not know Ed25519, or when the key is not one. */
const isSigned: Means['isSigned'] = async (text, signature, publicKey) => {
  const { subtle } = crypto;
  const key = await subtle.importKey('raw', hexBytes(publicKey), algorithm, false, ['verify']);
  return subtle.verify(algorithm, key, signature, new TextEncoder().encode(text));
};

export const browserMeans: Means = { isSigned };

/** Whether this page may check signatures. */
export const canVerify = (): boolean => 'subtle' in crypto && crypto.subtle !== undefined;
