// Holds what is said of a cap that is set or removed, whatever its principal is called.

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

it('what a removal means is told by what is removed, and not by a name', () => {
  assert.match(limitsRemovalOf(capped).about ?? '', /without rate limits/);
  assert.match(budgetRemovalOf(capped).about ?? '', /without a limit/);
  const limits = { requests_per_min: 5, tokens_per_min: null };
  const budget = { window: 'daily', tokens_total: 9, cost_total_micros: null } as const;
  assert.match(limitsOf(capped, limits).about ?? '', /next request/);
  assert.match(budgetOf(capped, budget).about ?? '', /next request/);
});
