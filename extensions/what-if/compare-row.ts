// Evaluates one usage row under both configurations.

import { modelId } from '../../src/lib/ids.ts';
import type { UsageRecord } from '../../src/db/usage/usage-events.ts';
import { compareRecorded } from './compare-request.ts';
import type { ComparedRequest, Comparison } from './compare-request.ts';
import type { CompiledModel } from '../../src/snapshot/compile/models.ts';
import { rowCost } from '../../src/control/usage/usage-cost.ts';
import { recordedRequest } from '../../src/control/history/explain.ts';
import type { Sides } from './sides.ts';

export type Compared = Readonly<{
  before: Sides;
  after: Sides;
  /** Null if the configuration that served the request belongs to another log. */
  serving: Sides | null;
}>;

export function compareRow({ before, after, serving }: Compared, row: UsageRecord): Comparison {
  const request: ComparedRequest = {
    recorded: recordedRequest(row),
    latestMs: row.at.getTime() + (row.ttft_ms ?? row.duration_ms),
    serving: serving?.serving(row) ?? null,
    answered: answeredOf(row, serving),
    costAt: (model) => costAt(row, model),
  };
  const comparison = compareRecorded(
    { before: before.party(row), after: after.party(row) },
    request,
  );
  // A refused request that is routed as before has no cost on either side.
  const isRefusedAlike = row.refusal !== null && comparison.change === 'same';
  return isRefusedAlike ? { ...comparison, cost: { before: 0, after: 0 } } : comparison;
}

/** After a failover the first choice is unknown. */
function answeredOf(row: UsageRecord, serving: Sides | null): ComparedRequest['answered'] {
  if (row.model_id === null || row.attempts > 1 || serving === null) return null;
  const place = serving.placeOf(row);
  return place === null ? null : { by: modelId.parse(row.model_id), place };
}

/** Assumes that another model would count the same tokens. */
function costAt(row: UsageRecord, { id, prices, cacheTtlMs }: CompiledModel): number | null {
  // The request is admitted and then refused as before: the proposal does not change that.
  if (row.refusal === 'rate_limit' || row.refusal === 'budget') return 0;
  // An answer from the cache would be a new request elsewhere, and is not counted.
  if (row.cached) return id === row.model_id && cacheTtlMs !== null ? 0 : null;
  const uncosted = { ...row, cached: false, usage_estimated: false, reported_cost_micros: null };
  return rowCost(uncosted, prices, row.at.getTime()).cost_micros;
}
