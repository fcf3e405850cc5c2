// What registers models of a provider: a call each, all of them one change.

import type { DraftCall } from '../changes/change-request.ts';

/** As many calls as one change holds. */
export const registeredMax = 100;

type Available = Readonly<{ id: string; context_length: number | null }>;

/** Each model is made with this provider behind it, by the name that the provider knows it by. */
export const registrationCalls = (
  provider: Readonly<{ id: number }>,
  chosen: readonly Available[],
): readonly DraftCall[] =>
  chosen.map(({ id, context_length }) => ({
    method: 'POST',
    path: '/admin/provider-models',
    body: { name: id, context_length, provider_id: provider.id, upstream_model: id },
  }));
