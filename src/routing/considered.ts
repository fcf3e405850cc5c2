// The models that a decision leads to, in the order of the configuration, with what became of each: a candidate, or dropped and
// why. Which member of a pool comes first, and which endpoints rest, is known only while a request is served.

import { mayInvoke } from '../snapshot/compile/callers.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { RoutingTables } from '../snapshot/compile.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import type { CompiledPool, CompiledTarget } from '../snapshot/compile/targets.ts';
import { estimateCostMicros } from '../usage/cost.ts';
import type { RecordedRequest } from './explain-recorded.ts';
import type { Decision } from './route.ts';

export type Dropped = 'not_granted' | 'no_provider' | 'listed_before';

export type Considered = Readonly<{
  model: CompiledModel;
  /** By which it came; null when a target names it, or it is the fallback. */
  pool: CompiledPool | null;
  /** In the pool; null outside of one. */
  weight: number | null;
  isFallback: boolean;
  /** Null is a candidate. */
  dropped: Dropped | null;
  /** Its window is known to be too small: it goes behind those that fit. */
  isSmall: boolean;
  /** Of the request, micro-units, at the prices of the snapshot; null when it has none. */
  costMicros: number | null;
}>;

type Asked = Readonly<{
  caller: Caller;
  request: Pick<RecordedRequest, 'model' | 'promptEstimate' | 'maxTokens'>;
}>;

/** None for a rule that denies, or a name that is not known. */
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
  const tokens = { prompt: request.promptEstimate, completion: request.maxTokens ?? 0 };
  // The caller chose a provider model by its name: no window overrules that.
  const windowAsked = decision.frontendModel === null ? 0 : tokens.prompt + tokens.completion;
  return entries.map(({ model, pool, weight, isFallback }, index) => ({
    model,
    pool,
    weight,
    isFallback,
    dropped: dropReason(model, caller, entries.slice(0, index)),
    isSmall: model.contextLength !== null && model.contextLength < windowAsked,
    costMicros: estimateCostMicros(model.prices, tokens),
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
