// Tests the texts about a limit that is set or removed, for any name of the principal.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  budgetOf,
  budgetRemovalOf,
  limitsOf,
  limitsRemovalOf,
} from '../../../../ui/screens/limits/saves.ts';

const capped = {
  id: 7,
  name: 'budget-bot',
  version: 3,
  limits: null,
  budget: null,
};

it('explains a removal by the removed limit, not by the name of the principal', () => {
  assert.match(limitsRemovalOf(capped).about ?? '', /without rate limits/);
  assert.match(budgetRemovalOf(capped).about ?? '', /without a limit/);
  const limits = { requests_per_min: 5, tokens_per_min: null };
  const budget = {
    window: 'daily',
    time_zone: '',
    tokens_total: 9,
    cost_total_micros: null,
    alert_at_percent: [],
  } as const;
  assert.match(limitsOf(capped, limits).about ?? '', /next request/);
  assert.match(budgetOf(capped, budget).about ?? '', /next request/);
});
