// Tests the cost of a request (Gateway rule 16).

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

it('rounds the configured price to micro-units', () => {
  assert.equal(cost(1, 499_999), 0);
  assert.equal(cost(1, 500_000), 1);
  assert.equal(cost(3, 500_000), 2);
});

it('prefers the figure of the provider to the configured price', () => {
  assert.equal(costMicros({ ...event, reported_cost_micros: 7, prompt_tokens: 10 }, prices), 7);
  assert.equal(costMicros({ ...event, reported_cost_micros: 0, prompt_tokens: 10 }, prices), 0);
});

it('is null without counts, a model or a price', () => {
  const used = { ...event, prompt_tokens: 10, completion_tokens: 10 };
  assert.equal(costMicros({ ...used, usage_reported: false }, prices), null);
  assert.equal(costMicros(used, null), null);
  assert.equal(costMicros(used, { inputPricePerMtok: null, outputPricePerMtok: null }), null);
  assert.equal(costMicros(event, { inputPricePerMtok: null, outputPricePerMtok: null }), null);
  assert.equal(costMicros(used, { ...prices, outputPricePerMtok: null }), null);
});

it('ignores a direction without a price if it was not used', () => {
  const embedding = { ...event, prompt_tokens: 1_000_000 };
  assert.equal(costMicros(embedding, { ...prices, outputPricePerMtok: null }), 3_000_000);
});

it('is zero for a cached answer', () => {
  assert.equal(costMicros({ ...event, cached: true, prompt_tokens: 10 }, null), 0);
});

it('is within half a micro-unit of the exact cost, or too large to represent', () => {
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

it('uses only the figure of the provider, if there is one', () => {
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
