// A sign-in under way. The browser that began it keeps it, sealed, in a cookie: nothing of it is stored here, so that strangers can begin
// as many as they like, and any replica can finish what another one began.

import { z } from 'zod';

import type { Vault } from '../../src/db/vault.ts';

export const transactionSeconds = 10 * 60;

const transaction = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  returnTo: z.string(),
  /** Of the session that the browser had, which ends with the next one: SHA-256 of its token, base64url. */
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

/** Null when it is none of ours, or is too old. */
export function openTransaction({ open }: Sealer, text: string, nowMs: number): Transaction | null {
  const [, keyId, body] = /^([0-9a-f]{8})\.([\w-]+)$/.exec(text) ?? [];
  if (keyId === undefined || body === undefined || text.length > lengthMax) return null;
  const opened = open(place, { keyId, body: Buffer.from(body, 'base64url') });
  if (opened === null) return null;
  const read = transaction.parse(JSON.parse(opened));
  return nowMs < read.until ? read : null;
}
