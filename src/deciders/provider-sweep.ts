// Decides the state of one dynamic provider after a sweep (specification, "States and
// transitions"): active, degraded, and removed after half an hour of absence.

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { Provider } from '../../projections/config/provider.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { ProviderId } from '../lib/ids.ts';
import { learn, letGo, modelsOf } from './learning.ts';
import type { FoundModel } from './learning.ts';
import { recovered } from './registration.ts';

/** The provider's model list, or the reason why it did not answer. */
export type Found = Readonly<{ served: readonly FoundModel[] }> | Readonly<{ failed: string }>;

export type SweepProvider = Readonly<{
  type: 'SweepProvider';
  id: ProviderId;
  found: Found;
  /**
   * Epoch milliseconds. `absentSince` is when a sweep first found it absent; null if it is not
   * absent.
   */
  now: number;
  absentSince: number | null;
}>;

/** A provider that is absent for this long is removed. */
export const removalMs = 30 * 60 * 1000;

/** Never refuses, because a provider may be deleted during the sweep. */
export function decideSweep(state: ConfigState, command: SweepProvider): readonly GwEvent[] {
  const provider = state.provider.byId.get(command.id);
  if (provider === undefined || provider.kind !== 'dynamic') return [];
  const { found } = command;
  if ('served' in found) {
    const back = provider.degraded === null ? [] : [recovered(provider.id)];
    return [...back, ...learn(state, provider, found.served)];
  }
  if (provider.degraded === null) return [degraded(provider.id, found.failed)];
  return isOverdue(provider.degraded.since, command) ? removed(state, provider) : [];
}

const isOverdue = (degradedSince: number, { now, absentSince }: SweepProvider): boolean =>
  absentSince !== null && now - Math.max(absentSince, degradedSince) >= removalMs;

const degraded = (id: ProviderId, reason: string): GwEvent => ({
  stream: streamOf('provider', id),
  type: 'ProviderDegraded',
  data: { id, reason },
});

/** Usage, frontend models and grants stay, and so do referenced models. */
const removed = (state: ConfigState, { id }: Provider): readonly GwEvent[] => [
  ...modelsOf(state, id).flatMap((model) => letGo(state, model)),
  { stream: streamOf('provider', id), type: 'ProviderDeleted', data: { id } },
];
