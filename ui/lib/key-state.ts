// How a key is: whether it opens anything, and for how long still.

export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked';

type Key = Readonly<{ disabled: boolean; expires_at: string | null }>;

const soonMs = 14 * 24 * 3_600_000;

export function keyState({ disabled, expires_at }: Key, now: number): KeyState {
  if (disabled) return 'revoked';
  if (expires_at === null) return 'active';
  const leftMs = Date.parse(expires_at) - now;
  if (leftMs <= 0) return 'expired';
  return leftMs <= soonMs ? 'expiring' : 'active';
}

export const keyStates: readonly Readonly<{
  value: KeyState;
  label: string;
  tone: 'good' | 'warn' | 'bad' | 'plain';
}>[] = [
  { value: 'active', label: 'active', tone: 'good' },
  { value: 'expiring', label: 'expires soon', tone: 'warn' },
  { value: 'expired', label: 'expired', tone: 'bad' },
  { value: 'revoked', label: 'revoked', tone: 'plain' },
];
