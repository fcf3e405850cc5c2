// Computes the caps of a budget that are in force.

import type { Budget } from '../../../projections/config/principal.ts';
import type { Caps } from '../../snapshot/spend.ts';

export const capsAt = ({ tokensTotal, costTotalMicros }: Budget, _nowMs: number): Caps => ({
  tokens_total: tokensTotal,
  cost_total_micros: costTotalMicros,
});
