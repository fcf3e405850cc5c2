// What a request cost (Gateway rule 16).

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { costMicros } from '../../../src/control/usage/usage-cost.ts';

const event = {
  cached: false,
  usage_reported: true,
  reported_cost_micros: null,
  prompt_tokens: 0,
  completion_tokens: 0,
};
const prices = { inputPricePerMtok: 3_000_000, outputPricePerMtok: 15_000_000 };

it('the configured price is rounded to micro-units, not cut', () => {
  assert.equal(cost(1, 499_999), 0);
  assert.equal(cost(1, 500_000), 1);
  assert.equal(cost(3, 500_000), 2);
});

it('the figure of the provider wins over the configured price', () => {
  assert.equal(costMicros({ ...event, reported_cost_micros: 7, prompt_tokens: 10 }, prices), 7);
  assert.equal(costMicros({ ...event, reported_cost_micros: 0, prompt_tokens: 10 }, prices), 0);
});

it('without counts, without a model or without a price there is no cost', () => {
  const used = { ...event, prompt_tokens: 10, completion_tokens: 10 };
  assert.equal(costMicros({ ...used, usage_reported: false }, prices), null);
  assert.equal(costMicros(used, null), null);
  assert.equal(costMicros(used, { inputPricePerMtok: null, outputPricePerMtok: null }), null);
  assert.equal(costMicros(event, { inputPricePerMtok: null, outputPricePerMtok: null }), null);
  assert.equal(costMicros(used, { ...prices, outputPricePerMtok: null }), null);
});

it('a side without a price is no obstacle while nothing was used of it', () => {
  const embedding = { ...event, prompt_tokens: 1_000_000 };
  assert.equal(costMicros(embedding, { ...prices, outputPricePerMtok: null }), 3_000_000);
});

it('an answer from the cache cost nothing', () => {
  assert.equal(costMicros({ ...event, cached: true, prompt_tokens: 10 }, null), 0);
});

it('every cost is within half a micro-unit of the exact one, or too large to hold', () => {
  const counts = fc.nat({ max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(counts, counts, counts, counts, (prompt, completion, input, output) => {
      const cost = costMicros(
        { ...event, prompt_tokens: prompt, completion_tokens: completion },
        { inputPricePerMtok: input, outputPricePerMtok: output },
      );
      const exact = BigInt(prompt) * BigInt(input) + BigInt(completion) * BigInt(output);
      if (cost === null) return exact / 1_000_000n >= BigInt(Number.MAX_SAFE_INTEGER);
      const error = BigInt(cost) * 1_000_000n - exact;
      return error <= 500_000n && error > -500_000n;
    }),
  );
});

it('the figure of the provider wins over every price, and nothing else is asked', () => {
  const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
  const price = fc.option(count, { nil: null });
  fc.assert(
    fc.property(
      count,
      count,
      price,
      price,
      fc.boolean(),
      (reported, tokens, input, output, known) => {
        const cost = costMicros(
          {
            ...event,
            usage_reported: known,
            reported_cost_micros: reported,
            prompt_tokens: tokens,
            completion_tokens: tokens,
          },
          { inputPricePerMtok: input, outputPricePerMtok: output },
        );
        assert.equal(cost, reported);
      },
    ),
  );
});

const cost = (tokens: number, price: number): number | null =>
  costMicros(
    { ...event, prompt_tokens: tokens },
    { inputPricePerMtok: price, outputPricePerMtok: null },
  );
