// Lists the models that a decision leads to, in configuration order, each with the reason if it was
// dropped. The choice within a pool and the state of endpoints are known only while a request is
// served.

import { mayInvoke } from '../snapshot/compile/callers.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { RoutingTables } from '../snapshot/compile.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import type { CompiledPool, CompiledTarget } from '../snapshot/compile/targets.ts';
import { estimateCostMicros } from '../usage/cost.ts';
import { pricesAt } from '../usage/price-versions.ts';
import type { RecordedRequest } from './explain-recorded.ts';
import type { Decision } from './route.ts';

export type Dropped = 'not_granted' | 'no_provider' | 'listed_before';

export type Considered = Readonly<{
  model: CompiledModel;
  /** Null for a model that a target names, and for the fallback. */
  pool: CompiledPool | null;
  /** Null outside a pool. */
  weight: number | null;
  isFallback: boolean;
  /** Null for a candidate. */
  dropped: Dropped | null;
  /** The known context window is too small, so the candidate is tried last. */
  isSmall: boolean;
  /** Micro-units, at the prices of the snapshot. Null when the model has no price. */
  costMicros: number | null;
}>;

type Asked = Readonly<{
  caller: Caller;
  request: Pick<RecordedRequest, 'model' | 'promptEstimate' | 'maxTokens' | 'atMs'>;
}>;

/** Empty for a rule that denies, and for an unknown name. */
export function considered(
  tables: RoutingTables,
  decision: Decision | null,
  { caller, request }: Asked,
): readonly Considered[] {
  if (decision === null || decision.rule?.action === 'deny') return [];
  const { fallback } = tables;
  const entries: readonly Entry[] = [
    ...targetsOf(tables, decision, request.model).flatMap(entriesOf),
    ...(fallback === null ? [] : [{ ...unpooled, model: fallback, isFallback: true }]),
  ];
  const { atMs } = request;
  const tokens = { prompt: request.promptEstimate, completion: request.maxTokens ?? 0 };
  // A provider model that the caller named is used regardless of its context window.
  const windowAsked = decision.frontendModel === null ? 0 : tokens.prompt + tokens.completion;
  return entries.map(({ model, pool, weight, isFallback }, index) => ({
    model,
    pool,
    weight,
    isFallback,
    dropped: dropReason(model, caller, entries.slice(0, index)),
    isSmall: model.contextLength !== null && model.contextLength < windowAsked,
    costMicros: estimateCostMicros(pricesAt(model.prices, atMs), tokens),
  }));
}

type Entry = Pick<Considered, 'model' | 'pool' | 'weight' | 'isFallback'>;
const unpooled = { pool: null, weight: null, isFallback: false } as const;

function targetsOf(
  { models }: RoutingTables,
  { rule, frontendModel }: Decision,
  name: string,
): readonly CompiledTarget[] {
  if (rule !== null) return rule.targets;
  if (frontendModel !== null) return frontendModel.defaultTargets;
  const model = models.get(name);
  return model === undefined ? [] : [{ kind: 'model', model }];
}

const entriesOf = (target: CompiledTarget): readonly Entry[] =>
  target.kind === 'model'
    ? [{ ...unpooled, model: target.model }]
    : target.members.map((model, index) => ({
        model,
        pool: target,
        weight: target.weights[index] ?? null,
        isFallback: false,
      }));

function dropReason(
  model: CompiledModel,
  caller: Caller,
  before: readonly Entry[],
): Dropped | null {
  if (before.some((entry) => entry.model === model)) return 'listed_before';
  if (!mayInvoke(caller, model)) return 'not_granted';
  return model.backends.length === 0 ? 'no_provider' : null;
}
