// Stores a pending sign-in, encrypted, in a cookie of the browser. The server stores nothing, so
// any number can be started, and any replica can finish one.

import { z } from 'zod';

import type { Vault } from '../../src/db/vault.ts';

export const transactionSeconds = 10 * 60;

const transaction = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  returnTo: z.string(),
  /**
   * The SHA-256 (base64url) of the browser's current session token. That session ends with the next
   * sign-in.
   */
  oldSession: z.string().nullable(),
  /** Epoch milliseconds. */
  until: z.int(),
});
export type Transaction = Readonly<z.output<typeof transaction>>;

const place = 'sign-in';
const lengthMax = 4_096;

type Sealer = Pick<Vault, 'seal' | 'open'>;

export function sealTransaction({ seal }: Sealer, given: Transaction): string {
  const { keyId, body } = seal(place, JSON.stringify(given));
  return `${keyId}.${body.toString('base64url')}`;
}

/** Null if the cookie is invalid or expired. */
export function openTransaction({ open }: Sealer, text: string, nowMs: number): Transaction | null {
  const [, keyId, body] = /^([0-9a-f]{8})\.([\w-]+)$/.exec(text) ?? [];
  if (keyId === undefined || body === undefined || text.length > lengthMax) return null;
  const opened = open(place, { keyId, body: Buffer.from(body, 'base64url') });
  if (opened === null) return null;
  const read = transaction.parse(JSON.parse(opened));
  return nowMs < read.until ? read : null;
}
