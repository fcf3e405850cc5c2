// Counts the newest usage rows of a range by the way that requests took: frontend model, rule, model and provider.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRows, time } from '../rows.ts';
import { isUpstreamError } from './usage-amounts.ts';

const flow = z.object({
  frontend_model_id: integer.nullable(),
  rule_id: integer.nullable(),
  model_id: integer.nullable(),
  provider_id: integer.nullable(),
  requests: integer,
  failed: integer,
  oldest: time,
  total: integer,
});

export type UsageFlow = Readonly<Omit<z.output<typeof flow>, 'oldest' | 'total'>>;

type FlowsAsked = Readonly<{
  /** RFC 3339, with an exclusive end. */
  since: string;
  until: string;
  /** The number of newest rows that are read. */
  rowsMax: number;
  flowsMax: number;
}>;

/** The most used first. `oldest` is the time of the oldest counted row if there are older ones. */
export async function usageFlows(
  db: Queryable,
  { since, until, rowsMax, flowsMax }: FlowsAsked,
): Promise<Readonly<{ flows: readonly UsageFlow[]; oldest: Date | null }>> {
  const found = await readRows(db, flow)`
    with newest as (
      select at, frontend_model_id, rule_id, model_id, provider_id,
        ${isUpstreamError} or refusal in ('no_backend', 'backend_overloaded') as is_failed
      from op.usage_events
      where at >= ${since}::timestamptz and at < ${until}::timestamptz
      order by at desc limit ${rowsMax}
    )
    select frontend_model_id, rule_id, model_id, provider_id, count(*)::bigint as requests,
      count(*) filter (where is_failed)::bigint as failed,
      min(min(at)) over () as oldest, (sum(count(*)) over ())::bigint as total
    from newest group by 1, 2, 3, 4
    order by requests desc, 1, 2, 3, 4 limit ${flowsMax}`;
  const [first] = found;
  const isCut = first !== undefined && first.total >= rowsMax;
  return {
    flows: found.map(({ oldest: _oldest, total: _total, ...counted }) => counted),
    oldest: isCut ? first.oldest : null,
  };
}
