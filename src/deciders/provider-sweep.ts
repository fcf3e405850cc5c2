// What the sweep makes of one provider (specification, "States and transitions"): active and degraded and back, and gone after half an
// hour of absence. A provider that is not dynamic stays as it is: of it the sweep only reports.

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { Provider } from '../../projections/config/provider.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { ProviderId } from '../lib/ids.ts';
import { learn, letGo, modelsOf } from './learning.ts';
import type { FoundModel } from './learning.ts';
import { recovered } from './registration.ts';

/** What a sweep found: the model list that the provider answered with, or why it did not. */
export type Found = Readonly<{ served: readonly FoundModel[] }> | Readonly<{ failed: string }>;

export type SweepProvider = Readonly<{
  type: 'SweepProvider';
  id: ProviderId;
  found: Found;
  /** Epoch milliseconds. `absentSince` is when a sweep first found it absent; null when none has. */
  now: number;
  absentSince: number | null;
}>;

/** So long it is absent before it is removed. */
export const removalMs = 30 * 60 * 1000;

/** Never refuses: a provider that went while it was dialled is nobody's fault. */
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

/** Usage, frontend models and grants survive it; so do models that something refers to. */
const removed = (state: ConfigState, { id }: Provider): readonly GwEvent[] => [
  ...modelsOf(state, id).flatMap((model) => letGo(state, model)),
  { stream: streamOf('provider', id), type: 'ProviderDeleted', data: { id } },
];
