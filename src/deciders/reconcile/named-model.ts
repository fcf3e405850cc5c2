// Applies a provider model of declarative files, which names its provider.

import { decideModel } from '../model.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Model } from '../../../projections/config/model.ts';
import { meant, named } from './named.ts';
import type { NamedModelStep } from './step.ts';
import type { Unfolding } from './unfolding.ts';

export function importNamedModel(on: Unfolding, step: NamedModelStep): Refusal | null {
  const { name, fields, backend, flowControl } = step;
  const held = meant(on.state().model, step);
  const refusal = on.take(
    held === undefined
      ? decideModel(on.state(), { type: 'CreateModel', name, fields })
      : decideModel(on.state(), { type: 'UpdateModel', id: held.id, fields: { ...fields, name } }),
  );
  if (refusal !== null) return refusal;
  const model = named(on.state().model, name);
  if (model === undefined) return refuse('conflict', `model ${name} was not created`);
  const attached = backend === undefined ? null : attach(on, model, backend);
  if (attached !== null) return attached;
  const { id } = model;
  return on.take(decideModel(on.state(), { type: 'SetFlowControl', id, flowControl }));
}

function attach(
  on: Unfolding,
  { id, backend: held }: Model,
  backend: NonNullable<NamedModelStep['backend']> | null,
): Refusal | null {
  const provider = backend === null ? undefined : named(on.state().provider, backend.provider);
  if (backend !== null && provider === undefined) {
    const message = `provider ${backend.provider} does not exist`;
    return refuse('invalid', message, { param: 'provider' });
  }
  const isSame =
    held?.providerId === provider?.id && held?.upstreamModel === backend?.upstreamModel;
  if (isSame && backend !== null) {
    const { defaultMaxTokens } = backend;
    const command = { type: 'UpdateBackend', id, flowControl: {}, defaultMaxTokens } as const;
    return on.take(decideModel(on.state(), command));
  }
  const detached =
    held === null ? null : on.take(decideModel(on.state(), { type: 'DetachBackend', id }));
  if (detached !== null || backend === null || provider === undefined) return detached;
  const { upstreamModel, defaultMaxTokens } = backend;
  const target = { providerId: provider.id };
  const command = { type: 'AttachBackend', id, target, upstreamModel, defaultMaxTokens } as const;
  return on.take(decideModel(on.state(), command));
}
