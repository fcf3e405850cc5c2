// Builds the usage that gw reads from an answer.

import { totalsOnly } from '../../src/usage/counts.ts';
import type { UsageReport } from '../../src/usage/counts.ts';

/** Without any part, unless `more` has one. */
export const reportOf = (
  promptTokens: number,
  completionTokens: number,
  more: Partial<UsageReport> = {},
): UsageReport => ({
  ...totalsOnly({ promptTokens, completionTokens }),
  costMicros: null,
  isClamped: false,
  ...more,
});
