// How a provider is, in one word and its tone.

import type { Provider } from '../../api/providers.ts';

type State = Readonly<{ tone: 'good' | 'warn' | 'bad' | 'plain'; word: string }>;
type Known = Pick<Provider, 'kind' | 'lease_expires_at' | 'degraded_since' | 'last_seen_at'>;

export function stateOf(provider: Known, now: number): State {
  const { kind, lease_expires_at, degraded_since, last_seen_at } = provider;
  const isLapsed = lease_expires_at !== null && Date.parse(lease_expires_at) <= now;
  if (kind === 'dynamic' && isLapsed) return { tone: 'bad', word: 'lease lapsed' };
  if (degraded_since !== null) return { tone: 'warn', word: 'degraded' };
  // Nobody looks after a static one but the requests that it serves.
  return last_seen_at === null
    ? { tone: 'plain', word: 'not swept' }
    : { tone: 'good', word: 'answers' };
}
