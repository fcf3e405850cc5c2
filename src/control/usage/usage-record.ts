// Reads a record of a usage batch. Proxies of gw fill in all fields. Another proxy that speaks the
// protocol may give the model's name instead of its id and omit what it does not know. Such a
// record has no id, so duplicates are counted.

import { z } from 'zod';

import type { ConfigState } from '../../../projections/config/state.ts';
import type { UsageEvent } from '../../usage/usage-event.ts';
import { usageEvent } from '../../usage/usage-event.ts';

const record = z.looseObject({});
type Given = z.output<typeof record>;

export type Completion = Readonly<{ at: Date; newId: () => string; state: ConfigState }>;

/** True if missing fields must be looked up. */
export const isPartial = (raw: unknown): boolean =>
  typeof raw === 'object' && raw !== null && !('id' in raw && 'model_id' in raw);

/** Null if the record is malformed or names an unknown model. */
export function readRecord(raw: unknown, completion: Completion): UsageEvent | null {
  const given = isPartial(raw) ? record.safeParse(raw) : null;
  const whole = given?.success === true ? complete(given.data, completion) : raw;
  const read = usageEvent.safeParse(whole);
  return read.success ? read.data : null;
}

const unknownFields = {
  key_id: null,
  path: '',
  snapshot_version: 0,
  route: null,
  tag: null,
  stream: false,
  status: null,
  refusal: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached: false,
  duration_ms: 0,
  ttft_ms: null,
  attempts: 1,
  prompt_estimate: 0,
  max_tokens: null,
};

function complete(given: Given, { at, newId, state }: Completion): unknown {
  const named = given['model'] ?? null;
  // Undefined differs from null: an unknown name is an error, a missing model is not.
  const model = named === null ? null : [...state.model.byId.values()].find(isNamed(named));
  return {
    ...unknownFields,
    id: newId(),
    at: at.toISOString(),
    model: null,
    model_id: model === null ? null : model?.id,
    provider_id: model?.backend?.providerId ?? null,
    virtual_model: given['requested_model'] ?? named ?? '',
    // A refused request has no counts and therefore no cost.
    usage_reported: (given['refusal'] ?? null) === null,
    reported_cost_micros: given['cost_micros'] ?? null,
    ...given,
  };
}

const isNamed =
  (name: unknown) =>
  (model: Readonly<{ name: string }>): boolean =>
    model.name === name;
