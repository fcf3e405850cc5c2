// Shares what API keys and admin tokens have in common: their fields and states.

export type Bearer = Readonly<{
  id: number;
  name: string;
  principal_id: number;
  principal: string;
  prefix: string;
  expires_at: string | null;
  created_at: string;
  last_used_at: string | null;
  version: number;
}> &
  Ended;

/** A revoked API key is "disabled" in the API. */
type Ended = Readonly<{ disabled: boolean }> | Readonly<{ revoked: boolean }>;

export const isRevoked = (one: Ended): boolean => ('revoked' in one ? one.revoked : one.disabled);

export type BearerState = 'active' | 'expiring' | 'expired' | 'revoked';

const soonMs = 14 * 24 * 3_600_000;

export function bearerState(
  one: Ended & Readonly<{ expires_at: string | null }>,
  now: number,
): BearerState {
  if (isRevoked(one)) return 'revoked';
  if (one.expires_at === null) return 'active';
  const leftMs = Date.parse(one.expires_at) - now;
  if (leftMs <= 0) return 'expired';
  return leftMs <= soonMs ? 'expiring' : 'active';
}

export const bearerStates: readonly Readonly<{
  value: BearerState;
  label: string;
  tone: 'good' | 'warn' | 'bad' | 'plain';
}>[] = [
  { value: 'active', label: 'active', tone: 'good' },
  { value: 'expiring', label: 'expires soon', tone: 'warn' },
  { value: 'expired', label: 'expired', tone: 'bad' },
  { value: 'revoked', label: 'revoked', tone: 'plain' },
];

export const shownState = (one: Bearer): (typeof bearerStates)[number] | undefined =>
  bearerStates.find(({ value }) => value === bearerState(one, Date.now()));
