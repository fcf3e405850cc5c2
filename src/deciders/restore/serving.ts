// Restores providers and provider models.

import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { Model } from '../../../projections/config/model.ts';
import type { Provider } from '../../../projections/config/provider.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { refuseLeak } from '../credential-leak.ts';
import { sameEndpoint } from '../provider.ts';
import { createdAs, setAllFields } from '../set-fields.ts';
import { whole } from './kind.ts';
import type { Loss, Restoring } from './kind.ts';
import { restoredCredential, sameCredential } from './credential.ts';

export const providers: Restoring<Provider> = {
  attainable: (wanted, held, { erased }) => {
    const isOneOrigin =
      held !== undefined &&
      refuseLeak({ from: held.endpoint.api_base, to: wanted.endpoint.api_base, param: '' }) ===
        null;
    const { credential, losses } = restoredCredential(wanted, {
      erased,
      standIn: isOneOrigin ? held.credential : null,
    });
    const isReset = held === undefined || held.kind !== wanted.kind || isLetGo(held, wanted);
    const degraded = isReset ? null : held.degraded;
    const isSeen = canonicalJson(degraded) !== canonicalJson(wanted.degraded);
    const seen: readonly Loss[] = isSeen ? [{ field: 'degraded', reason: 'observed' }] : [];
    return { goal: { ...wanted, credential, degraded }, losses: [...losses, ...seen] };
  },
  changed: (held, goal) => {
    const { id } = goal;
    const stream = streamOf('provider', id);
    const events: GwEvent[] = [...setAllFields('provider', held, goal)];
    if (goal.kind !== held.kind || isLetGo(held, goal)) {
      events.push({ stream, type: 'ProviderKindChanged', data: { id, kind: goal.kind } });
    }
    if (!sameEndpoint(goal.endpoint, held.endpoint)) {
      const data = { id, endpoint: goal.endpoint, from_api_base: held.endpoint.api_base };
      events.push({ stream, type: 'ProviderEndpointChanged', data });
    }
    return [...events, ...providerCredential(held, goal), ...registration(held, goal)];
  },
};

/**
 * True if no agent holds the restored provider. Changing its kind then also clears the registration
 * and the degraded state.
 */
const isLetGo = (held: Provider, goal: Provider): boolean =>
  held.registration !== null && goal.registration === null;

function providerCredential(held: Provider, { id, credential }: Provider): readonly GwEvent[] {
  const stream = streamOf('provider', id);
  if (sameCredential(held.credential, credential)) return [];
  return credential === null
    ? [{ stream, type: 'ProviderCredentialCleared', data: { id } }]
    : [{ stream, type: 'ProviderCredentialSet', data: { id, credential } }];
}

function registration(held: Provider, goal: Provider): readonly GwEvent[] {
  const { id } = goal;
  if (goal.registration === null) return [];
  const isForgotten = held.kind !== goal.kind;
  if (!isForgotten && canonicalJson(held.registration) === canonicalJson(goal.registration)) {
    return [];
  }
  const { principalId: principal_id, node, engine } = goal.registration;
  const data = { id, principal_id, node, engine };
  return [{ stream: streamOf('provider', id), type: 'ProviderRegistered', data }];
}

export const models: Restoring<Model> = {
  attainable: whole,
  created: (goal) => {
    const { id, learnedBy } = goal;
    const learned: readonly GwEvent[] =
      learnedBy === null
        ? []
        : [
            {
              stream: streamOf('model', id),
              type: 'ModelLearned',
              data: { id, principal_id: learnedBy },
            },
          ];
    return [createdAs('model', goal), ...learned];
  },
  changed: (held, goal) => [...setAllFields('model', held, goal), ...modelBackend(held, goal)],
};

function modelBackend(held: Model, { id, backend }: Model): readonly GwEvent[] {
  const stream = streamOf('model', id);
  if (canonicalJson(held.backend) === canonicalJson(backend)) return [];
  if (backend === null) return [{ stream, type: 'ModelBackendDetached', data: { id } }];
  const { providerId, upstreamModel, defaultMaxTokens: default_max_tokens } = backend;
  const isSame =
    held.backend?.providerId === providerId && held.backend.upstreamModel === upstreamModel;
  if (isSame) {
    return [{ stream, type: 'ModelDefaultMaxTokensSet', data: { id, default_max_tokens } }];
  }
  const data = { id, provider_id: providerId, upstream_model: upstreamModel, default_max_tokens };
  return [{ stream, type: 'ModelBackendAttached', data }];
}
