// Reads the token counts of a chat completion or of a chunk (wire reference 2.4).

import type { UsageReport } from '../../usage/counts.ts';
import { readReport } from '../../usage/read-report.ts';
import { member, objectOf } from '../json.ts';
import type { JsonObject } from '../json.ts';

/** Null if it has no counts. Groq has its own member for those of a stream. */
export function chatUsage(answer: JsonObject): UsageReport | null {
  const usage = objectOf(answer, 'usage') ?? objectOf(objectOf(answer, 'x_groq') ?? {}, 'usage');
  return readReport(usage, member(answer, 'service_tier'));
}
