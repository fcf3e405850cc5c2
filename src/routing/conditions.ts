// Evaluates the conditions of a rule, all of which must hold (specification, "Condition fields";
// Gateway rules 5 to 7). `matches` runs on every request. `failedConditions` explains to people
// which fields do not hold.

import { unknownAmount } from '../conditions/asked.ts';
import type { Asked, LoadCeiling } from '../conditions/asked.ts';
import { passes } from '../conditions/compile.ts';
import type { CompiledFrontendModel, CompiledRule } from '../snapshot/compile/frontend-models.ts';
import { estimateCostMicros } from '../usage/cost.ts';
import { pricesAt } from '../usage/price-versions.ts';
import { isUp, requestsAt } from './load.ts';
import type { RouteInput } from './request.ts';

export function matches({ firstTest, otherTests }: CompiledRule, asked: Asked): boolean {
  if (!passes(firstTest, asked)) return false;
  for (const test of otherTests) if (!passes(test, asked)) return false;
  return true;
}

/** Empty when the rule matches. */
export const failedConditions = ({ conditions }: CompiledRule, asked: Asked): readonly string[] =>
  conditions.flatMap((one) => (passes(one.test, asked) ? [] : one.failed(asked)));

/** For the rules of the frontend model that the request names. */
export const ask = (frontendModel: CompiledFrontendModel, input: RouteInput): Asked =>
  new LiveAsked(frontendModel, input);

const minuteMs = 60_000;
const notComputed = -2;

/** A class, so that a request allocates one object and no closures. */
class LiveAsked implements Asked {
  readonly caller: RouteInput['caller'];
  readonly request: RouteInput['request'];
  readonly promptTokens: number;
  readonly maxTokens: number;
  readonly epochMinute: number;
  readonly #live: RouteInput['live'];
  /** The prices of the named frontend model, so that the cost is the same for every rule (Gateway rule 6). */
  readonly #prices: CompiledFrontendModel['reachPrices'];
  #costMicros = notComputed;

  constructor({ reachPrices }: CompiledFrontendModel, { caller, request, live }: RouteInput) {
    this.caller = caller;
    this.request = request;
    this.promptTokens = request.promptEstimate;
    this.maxTokens = request.maxTokens ?? unknownAmount;
    this.epochMinute = Math.floor(request.nowMs / minuteMs);
    this.#live = live;
    this.#prices = reachPrices;
  }

  costMicros(): number {
    if (this.#costMicros !== notComputed) return this.#costMicros;
    const tokens = { prompt: this.promptTokens, completion: Math.max(0, this.maxTokens) };
    let cheapest = Infinity;
    for (const prices of this.#prices) {
      const costMicros = estimateCostMicros(pricesAt(prices, this.request.nowMs), tokens);
      if (costMicros !== null && costMicros < cheapest) cheapest = costMicros;
    }
    this.#costMicros = cheapest === Infinity ? unknownAmount : cheapest;
    return this.#costMicros;
  }

  hasHeader(name: string, value: string): boolean {
    return this.request.header(name) === value;
  }

  hasCapacity({ models, below }: LoadCeiling): boolean {
    const { nowMs } = this.request;
    for (const model of models) {
      for (const load of this.#live.backendsOf(model)) {
        if (isUp(load, nowMs) && requestsAt(load, nowMs) < below) return true;
      }
    }
    return false;
  }
}

/** Replaces some answers. */
export const answering = (
  asked: Asked,
  answers: Partial<Pick<Asked, 'costMicros' | 'hasHeader' | 'hasCapacity'>>,
): Asked => ({
  caller: asked.caller,
  request: asked.request,
  promptTokens: asked.promptTokens,
  maxTokens: asked.maxTokens,
  epochMinute: asked.epochMinute,
  costMicros: () => asked.costMicros(),
  hasHeader: (name, value) => asked.hasHeader(name, value),
  hasCapacity: (ceiling) => asked.hasCapacity(ceiling),
  ...answers,
});
