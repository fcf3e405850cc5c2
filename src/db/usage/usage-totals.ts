// Reads usage summed by group (specification, `GET /admin/usage`).

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';

import type { UsageGrouping } from '../../lib/vocabulary.ts';
import { integer, readRows, text } from '../rows.ts';
import type { Dimension } from './sums/sum-columns.ts';
import { costsIn, sumOf, usageColumns, usageSums, withCosts } from './usage-columns.ts';
import { withLatencies } from './usage-latency.ts';
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

type Grouping = Readonly<{ key: SQLQuery; dimension: Dimension }>;

const groupings: Readonly<Record<UsageGrouping, Grouping>> = {
  model: { key: sql`model`, dimension: 'model' },
  principal: { key: sql`principal`, dimension: 'principal' },
  virtual_model: { key: sql`virtual_model`, dimension: 'virtual_model' },
  provider: { key: sql`provider`, dimension: 'provider' },
  tag: { key: sql`tag`, dimension: 'tag' },
  service_tier: { key: sql`service_tier`, dimension: 'service_tier' },
  currency: { key: sql`currency`, dimension: 'all' },
  day: { key: sql`to_char(at at time zone 'UTC', 'YYYY-MM-DD')`, dimension: 'all' },
  all: { key: sql`null::text`, dimension: 'all' },
};

/** Sorts by cost, highest first; days are sorted newest first. */
export async function usageTotals(db: Queryable, query: UsageQuery) {
  const { key, dimension } = groupings[query.groupBy];
  const coarsest = query.groupBy === 'day' ? 'day' : 'month';
  const usage = await usageIn(db, { ...query, filter: unfiltered, dimension, coarsest });
  const found = await groupTotals(db, query, usage);
  const isMixed = found.some((one) => one.is_mixed);
  const costs = isMixed ? await costsIn(db, { key, usage }) : [];
  return withLatencies(db, withCosts(found, costs), { key, usage });
}

const groupTotals = (db: Queryable, query: UsageQuery, usage: SQLQuery) =>
  readRows(db, usageTotal)`
    select ${groupings[query.groupBy].key} as key, ${usageColumns}, ${sumOf('refused_requests')},
      count(*) over ()::bigint as groups
    from (${usage}) used
    group by 1
    order by ${query.groupBy === 'day' ? sql`key desc` : sql`cost_micros desc nulls last, requests desc, key`}
    offset ${query.skip} limit ${query.limit}`;
