// Tests the recorded values of a request for the conditions of a rule.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { matchedValue } from '../../../../ui/lib/routing/matched-value.ts';

const usage = {
  principal: 'search',
  prompt_class: 'code',
  prompt_estimate: 1_200,
  max_tokens: null,
  stream: true,
  budget_percent: 40,
  rule_inputs: { at_ms: 0, headers: { 'x-team': 'a' }, crowded_rules: [], cost_micros: 2_000_000 },
};

it('shows the value of each condition, and which values are not recorded', () => {
  const values = {
    principals: 'search',
    class: 'code',
    stream: 'streamed',
    min_prompt_tokens: '1,200 tokens',
    min_max_tokens: 'not set',
    min_budget_used_percent: '40 %',
    min_request_cost_micros: '$2.00',
    'headers.x-team': 'a',
    'headers.x-tier': 'absent, or a value of no rule',
    max_inflight_per_backend: 'not recorded',
  };
  for (const [field, value] of Object.entries(values)) {
    assert.equal(matchedValue([field], usage), value, field);
  }
  const bare = { ...usage, rule_inputs: null };
  for (const field of ['headers.x-team', 'after', 'min_request_cost_micros']) {
    assert.equal(matchedValue([field], bare), 'not recorded');
  }
});
