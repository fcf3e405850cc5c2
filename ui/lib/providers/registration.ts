// Builds the calls that register models of a provider in one change.

import type { DraftCall } from '../changes/draft-calls.ts';

/** Per change. */
export const registeredMax = 100;

type Available = Readonly<{ id: string; context_length: number | null }>;

/** Uses the names that the provider uses. */
export const registrationCalls = (
  provider: Readonly<{ id: number }>,
  chosen: readonly Available[],
): readonly DraftCall[] =>
  chosen.map(({ id, context_length }) => ({
    method: 'POST',
    path: '/admin/provider-models',
    body: { name: id, context_length, provider_id: provider.id, upstream_model: id },
  }));
