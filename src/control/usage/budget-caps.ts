// Computes the caps of a budget that are in force, with its temporary increases.

import type { Budget } from '../../../projections/config/principal.ts';
import { capsAt as increasedCaps } from '../../snapshot/spend.ts';
import type { Caps } from '../../snapshot/spend.ts';

type Capped = Pick<Budget, 'tokensTotal' | 'costTotalMicros' | 'increases'>;

export function capsAt(budget: Capped, nowMs: number): Caps {
  const { tokensTotal: tokens_total, costTotalMicros: cost_total_micros, increases = [] } = budget;
  const amounts = increases.map(({ tokens, costMicros, startsAt, endsAt }) => ({
    tokens,
    micros: costMicros,
    startMs: Date.parse(startsAt),
    endMs: Date.parse(endsAt),
  }));
  return increasedCaps({ tokens_total, cost_total_micros }, amounts, nowMs);
}
