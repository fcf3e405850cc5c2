// Exports the use of allotments of rate limits and budgets at this process as metrics.

import type { Clock } from '../../lib/clock.ts';
import type { AllottedBudgets } from '../../limits/allotted-budgets.ts';
import type { Limiter } from '../../limits/limiter.ts';
import type { Source } from '../../telemetry/scrape.ts';

type Measured = Readonly<{ limiter: Limiter; budgets: AllottedBudgets; monotonic: Clock }>;

export const allotmentMetrics =
  ({ limiter: { allotted }, budgets, monotonic }: Measured): Source =>
  ({ add }) => {
    add('allotmentsUsed', { dimension: 'requests' }, allotted.used.requests);
    add('allotmentsUsed', { dimension: 'tokens' }, allotted.used.tokens);
    add('allotmentsUsed', { dimension: 'budget_tokens' }, budgets.used.tokens);
    add('allotmentsUsed', { dimension: 'budget_micros' }, budgets.used.micros);
    add('allotmentsRefused', { of: 'limit' }, allotted.refused);
    add('allotmentsRefused', { of: 'budget' }, budgets.refused);
    add('allotmentsOutage', {}, budgets.isCutOff(monotonic()) ? 1 : 0);
  };
