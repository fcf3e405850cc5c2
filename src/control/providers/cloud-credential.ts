// Stores the state of one service account's key file: its current token and when to request the
// next (Limits, "Cloud token cache"). Times are epoch milliseconds.

import type { Refusal } from '../../lib/refusal.ts';
import type { Minted } from './service-account.ts';

export type CloudCredential = {
  readonly keyFile: string;
  held: Minted | null;
  minting: Promise<void> | null;
  askedAtMs: number;
  failures: number;
  retryAtMs: number;
  reason: string;
};

const renewBeforeMs = 5 * 60_000;
/**
 * The minimum time between two renewals. If the lifetime is shorter than twice this, half of the
 * lifetime.
 */
const heldMsMin = 60_000;
const backOffMsMin = 5_000;
const backOffMsMax = 5 * 60_000;
const failuresMax = 16;

export const newCredential = (keyFile: string): CloudCredential => ({
  keyFile,
  held: null,
  minting: null,
  askedAtMs: 0,
  failures: 0,
  retryAtMs: 0,
  reason: 'its access token has not arrived yet',
});

export function noteMinted(credential: CloudCredential, minted: Minted): void {
  credential.held = minted;
  credential.failures = 0;
  credential.retryAtMs = 0;
}

export function noteFailure(
  credential: CloudCredential,
  { message }: Refusal,
  nowMs: number,
): void {
  const backOffMs = Math.min(backOffMsMin * 2 ** credential.failures, backOffMsMax);
  credential.failures = Math.min(credential.failures + 1, failuresMax);
  credential.retryAtMs = nowMs + backOffMs;
  credential.reason = message;
}

export const usableToken = ({ held }: CloudCredential, nowMs: number): string | null =>
  held !== null && nowMs < held.expiresAtMs ? held.token : null;

export const isFresh = ({ held }: CloudCredential, nowMs: number): boolean =>
  held !== null && nowMs < renewAtMs(held);

export const isDue = (credential: CloudCredential, nowMs: number): boolean =>
  credential.minting === null && !isFresh(credential, nowMs) && nowMs >= credential.retryAtMs;

/** A pending request reports its own end. */
export function dueAtMs(credential: CloudCredential, nowMs: number): number {
  const { held, minting, retryAtMs } = credential;
  const endsAtMs = held !== null && nowMs < held.expiresAtMs ? held.expiresAtMs : Infinity;
  if (minting !== null) return endsAtMs;
  return held !== null && nowMs < renewAtMs(held) ? renewAtMs(held) : Math.min(retryAtMs, endsAtMs);
}

function renewAtMs({ mintedAtMs, expiresAtMs }: Minted): number {
  const lifeMs = expiresAtMs - mintedAtMs;
  return mintedAtMs + Math.max(lifeMs - renewBeforeMs, Math.min(lifeMs / 2, heldMsMin));
}
