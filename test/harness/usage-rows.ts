// Inserts usage rows at size with one statement, as they look a year after the start: the same values on each run.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

type Rows = Readonly<{
  count: number;
  /** The first row begins one step later. */
  fromMs: number;
  stepMs: number;
  /** False leaves them to be added to the sums in the background. */
  isSummed: boolean;
}>;

/** The months of the rows must have partitions (`op.ensure_usage_month`). */
export const insertUsageRows = (
  db: Queryable,
  { count, fromMs, stepMs, isSummed }: Rows,
): Promise<unknown> =>
  db.query(sql`
    insert into op.usage_events (id, at, received_at, replica, principal_id, principal, model,
      provider, virtual_model, path, snapshot_version, tag, stream, status, refusal, prompt_tokens,
      completion_tokens, usage_reported, cost_micros, cached, duration_ms, ttft_ms, attempts,
      prompt_estimate, is_summed)
    select '01ARZ3NDEK' || lpad(number::text, 16, '0'),
      ${new Date(fromMs).toISOString()}::timestamptz
        + number * ${stepMs}::numeric * interval '1 millisecond', now(),
      'r1', number % 100, 'team-' || number % 100, 'model-' || number % 20,
      'provider-' || number % 5,
      'chat-' || number % 10, '/v1/chat/completions', 1, 'tag-' || number % 3, false,
      case when number % 50 = 0 then 503 else 200 end,
      case when number % 40 = 0 then 'budget' end, number % 5000, number % 700, true, number % 900,
      false, 200 + (number * 7919) % 9000, 50 + (number * 31) % 900, 1 + number % 2, 100,
      ${isSummed}
    from generate_series(1, ${count}::bigint) number`);
