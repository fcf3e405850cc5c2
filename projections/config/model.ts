// Folds the events of a provider model. Without a backend it is listed but cannot be routed to.

import { isSetter } from '../../events/catalogue.ts';
import type { FlowControl, ModelEvent } from '../../events/model.ts';
import type { Field, Held } from '../../src/fields/field.ts';
import { flowFields, modelFields } from '../../src/fields/model.ts';
import { blankValues, storedValues } from '../../src/fields/values.ts';
import { camelCase, camelKeys } from '../../src/lib/case.ts';
import type { ModelId, PrincipalId, ProviderId } from '../../src/lib/ids.ts';
import { setPrices, withPrices } from '../../src/usage/price-versions.ts';
import type { PriceVersion } from '../../src/usage/price-versions.ts';
import { checkAbsent, existing, withSet } from './entity.ts';

export type Backend = Readonly<{
  providerId: ProviderId;
  upstreamModel: string;
  defaultMaxTokens: number | null;
}>;

export type Model = Held<typeof modelFields> &
  Readonly<{
    id: ModelId;
    name: string;
    description: string | null;
    backend: Backend | null;
    flowControl: FlowControl;
    /** The principal whose agent reported the model, or null. */
    learnedBy: PrincipalId | null;
    /** The newest versions of the prices, which price rows by their time. */
    priceVersions: readonly PriceVersion[];
    /**
     * The number before that of its first prices, if the model was deleted and restored: no price
     * has the number of another one.
     */
    priceVersionsAfter?: number;
  }>;

export const noFlowControl: FlowControl = storedValues(flowFields, blankValues(flowFields));

/**
 * True if the model was learned from a host and no operator renamed, priced or configured it. A
 * description does not count, because it is not part of a snapshot. A learned model is named by its
 * upstream name, alone or followed by `@<provider>`.
 */
export const isAsLearned = (model: Model): boolean =>
  model.learnedBy !== null &&
  hasLearnedName(model) &&
  isUnset(model) &&
  (model.backend === null || model.backend.defaultMaxTokens === null) &&
  Object.values(model.flowControl).every((value) => value === null);

const unset = camelKeys(storedValues(modelFields, blankValues(modelFields)));

const decided = Object.entries<Field>(modelFields)
  .filter(([, { learned }]) => learned !== true)
  .map(([name]) => camelCase(name));

const isUnset = (model: Model): boolean =>
  decided.every((name) => (Reflect.get(model, name) ?? null) === null);

const hasLearnedName = ({ name, backend }: Model): boolean =>
  backend === null ||
  name === backend.upstreamModel ||
  name.startsWith(`${backend.upstreamModel}@`);

export function evolveModel(
  model: Model | undefined,
  event: ModelEvent,
  recordedAt: number,
  version: number,
): Model | undefined {
  if (isSetter(event)) {
    const set = withSet(existing(model, event), event.data);
    if (event.type !== 'ModelPriced') return set;
    const setting = { setAtMs: recordedAt, after: set.priceVersionsAfter ?? 0 };
    return { ...set, priceVersions: withPrices(set.priceVersions, setPrices(set), setting) };
  }
  switch (event.type) {
    case 'ModelCreated':
      checkAbsent(model, event);
      return {
        ...event.data,
        ...unset,
        backend: null,
        flowControl: noFlowControl,
        learnedBy: null,
        priceVersions: [],
        ...(version > 1 ? { priceVersionsAfter: version - 1 } : {}),
      };
    case 'ModelLearned':
      return { ...existing(model, event), learnedBy: event.data.principal_id };
    case 'ModelBackendAttached':
      return {
        ...existing(model, event),
        backend: {
          providerId: event.data.provider_id,
          upstreamModel: event.data.upstream_model,
          defaultMaxTokens: event.data.default_max_tokens,
        },
      };
    case 'ModelDefaultMaxTokensSet': {
      const before = existing(model, event);
      if (before.backend === null) throw new Error(`${event.stream} has no backend`);
      const defaultMaxTokens = event.data.default_max_tokens;
      return { ...before, backend: { ...before.backend, defaultMaxTokens } };
    }
    case 'ModelBackendDetached':
      return { ...existing(model, event), backend: null };
    case 'ModelDeleted':
      existing(model, event);
      return undefined;
  }
}
