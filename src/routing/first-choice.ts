// Finds the models that may be tried first for a request: one model, or the members of a pool of which the policy chooses
// one.

import type { CompiledModel } from '../snapshot/compile/models.ts';
import type { CompiledPool } from '../snapshot/compile/targets.ts';
import { poolAround } from './route.ts';
import type { ChainRoute } from './route.ts';

export type FirstChoice = Readonly<{
  /** At least one model. */
  models: readonly CompiledModel[];
  /** Null for a single model. */
  pool: CompiledPool | null;
}>;

/** `tokens` is the estimated total of the request. Every endpoint counts as up. */
export function firstChoice(
  { candidates, fallback, decision }: ChainRoute,
  tokens: number,
): FirstChoice {
  const [first] = candidates;
  const pool = first === fallback ? null : poolAround(decision, first);
  if (pool === null) return { models: [first], pool };
  const asked = decision.frontendModel === null ? 0 : tokens;
  const isSmall = ({ contextLength }: CompiledModel): boolean =>
    contextLength !== null && contextLength < asked;
  const equals = pool.members.filter(
    (member) => candidates.includes(member) && isSmall(member) === isSmall(first),
  );
  const serving = equals.filter((member) => pool.weights[pool.members.indexOf(member)] !== 0);
  const models = serving.length === 0 ? equals : serving;
  return { models, pool: models.length === 1 ? null : pool };
}

/** Equal when requests go to the same endpoints by the same choice. */
export const choiceKey = ({ models, pool }: FirstChoice): string =>
  JSON.stringify(
    pool === null
      ? models.map(modelKey)
      : [
          pool.id,
          pool.policy,
          ...models.map((model) => [modelKey(model), pool.weights[pool.members.indexOf(model)]]),
        ],
  );

/** Includes the backends: the same model at another provider has another key. */
export const modelKey = ({ id, backends }: CompiledModel): string =>
  JSON.stringify([
    id,
    ...backends.map(({ providerId, apiBase, upstreamModel }) => [
      providerId,
      apiBase,
      upstreamModel,
    ]),
  ]);
