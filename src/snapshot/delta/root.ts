// Computes the root of a snapshot: one hash over all of its parts. Two snapshots with the same root
// are equal, so a delta names its base and its result by their roots.

import { hash } from 'node:crypto';

import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Snapshot } from '../schema.ts';

/** `secrets` and `budgets` are digests that a change moves instead of computing them again. */
export type RootParts = Pick<Snapshot, 'schema' | 'version' | 'config_hash' | 'log'> &
  Readonly<{ secrets: bigint; budgets: string; classifier: string; overlay: string }>;

/** 64 hex digits. */
export function rootOf(parts: RootParts): string {
  const {
    schema,
    version,
    config_hash: config,
    log,
    secrets,
    budgets,
    classifier,
    overlay,
  } = parts;
  const { id, position, hash: head } = log;
  return hash(
    'sha256',
    canonicalJson([
      'gw-snapshot-v1',
      schema,
      version,
      config,
      [id, position, head],
      secrets.toString(16),
      budgets,
      classifier,
      overlay,
    ]),
  );
}

const modulus = 2n ** 256n;

/**
 * The sum of the hashes of all secrets, modulo 2^256. The order does not matter, so that one secret
 * is added or removed without the others.
 */
export const noSecrets = 0n;

export const withSecret = (sum: bigint, ref: string, text: string): bigint =>
  (sum + secretNumber(ref, text)) % modulus;

export const withoutSecret = (sum: bigint, ref: string, text: string): bigint =>
  (sum + modulus - secretNumber(ref, text)) % modulus;

const secretNumber = (ref: string, text: string): bigint =>
  BigInt(`0x${hash('sha256', JSON.stringify([ref, text]))}`);
