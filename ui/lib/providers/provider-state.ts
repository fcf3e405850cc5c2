// Describes the state of a provider in a word and a tone.

type State = Readonly<{ tone: 'good' | 'warn' | 'bad' | 'plain'; word: string }>;
type Known = Readonly<{
  kind: string;
  lease_expires_at: string | null;
  degraded_since: string | null;
  last_seen_at: string | null;
}>;

export function providerState(provider: Known, now: number): State {
  const { kind, lease_expires_at, degraded_since, last_seen_at } = provider;
  const isLapsed = lease_expires_at !== null && Date.parse(lease_expires_at) <= now;
  if (kind === 'dynamic' && isLapsed) return { tone: 'bad', word: 'lease expired' };
  if (degraded_since !== null) return { tone: 'warn', word: 'degraded' };
  // gw calls a provider before it stores it; health checks run later.
  return last_seen_at === null
    ? { tone: 'plain', word: kind === 'dynamic' ? 'not verified yet' : 'verified when created' }
    : { tone: 'good', word: 'answers' };
}
