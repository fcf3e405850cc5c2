// Reads usage summed by group (specification, `GET /admin/usage`).

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';

import type { UsageGrouping } from '../../lib/vocabulary.ts';
import { integer, readRows, text } from '../rows.ts';
import { costsIn, usageColumns, usageSums, withCosts } from './usage-columns.ts';
import { unfiltered, usageIn } from './usage-range.ts';
import type { UsageRange } from './usage-range.ts';

/** `skip` is the number of groups on earlier pages. */
export type UsageQuery = UsageRange &
  Readonly<{ groupBy: UsageGrouping; skip: number; limit: number }>;

const usageTotal = usageSums.extend({
  key: text.nullable(),
  refused_requests: integer,
  groups: integer,
});

const groupKeys: Readonly<Record<UsageGrouping, SQLQuery>> = {
  model: sql`model`,
  principal: sql`principal`,
  virtual_model: sql`virtual_model`,
  provider: sql`provider`,
  tag: sql`tag`,
  service_tier: sql`service_tier`,
  currency: sql`currency`,
  day: sql`to_char(at at time zone 'UTC', 'YYYY-MM-DD')`,
  all: sql`null::text`,
};

/** Sorts by cost, highest first; days are sorted newest first. */
export async function usageTotals(db: Queryable, query: UsageQuery) {
  const found = await groupTotals(db, query);
  const isMixed = found.some((one) => one.is_mixed);
  const usage = usageIn(query, unfiltered);
  const key = groupKeys[query.groupBy];
  return withCosts(found, isMixed ? await costsIn(db, { key, usage }) : []);
}

const groupTotals = (db: Queryable, query: UsageQuery) =>
  readRows(db, usageTotal)`
    select ${groupKeys[query.groupBy]} as key, ${usageColumns},
      coalesce(sum(requests) filter (where refusal is not null), 0)::bigint as refused_requests,
      count(*) over ()::bigint as groups
    from (${usageIn(query, unfiltered)}) counted
    group by 1
    order by ${query.groupBy === 'day' ? sql`key desc` : sql`cost_micros desc nulls last, requests desc, key`}
    offset ${query.skip} limit ${query.limit}`;
