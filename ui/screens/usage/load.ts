// Loads the usage of a range and of the previous period of the same length.

import type { UsageTotal } from '../../api/records.ts';
import type { QueryOf } from '../../api/http/routes.ts';
import { call, nextCursor } from '../../api/http/call.ts';
import { groupsOf, widthOf } from '../../api/usage.ts';
import { bucketSecondsOf, edgesBefore, edgesOf, isoEdges } from '../../lib/page/range.ts';
import type { Range } from '../../lib/page/range.ts';
import { latencyOf, totalsOf } from '../../lib/observe/series.ts';
import { beside } from '../../lib/observe/usage.ts';
import type { Grouping } from '../../lib/observe/usage.ts';

/** Groups that are loaded at first, and with each "Show more". */
export const groupSteps = { first: 1_000, more: 1_000, max: 20_000 } as const;

type Asked = Readonly<{
  range: Range;
  grouping: Grouping;
  wanted: number;
}>;

export type Usage = Awaited<ReturnType<typeof loadUsage>>;
export type Group = Usage['groups'][number];

export async function loadUsage({ range, grouping, wanted }: Asked, signal: AbortSignal) {
  const edges = edgesOf(range, Date.now());
  const past = edgesBefore(edges);
  const bucket = bucketSecondsOf(edges);
  const all = { group_by: 'all' } as const;
  const grouped = { group_by: grouping };
  const [groups, groupsBefore, series, before, whole, wholeBefore] = await Promise.all([
    groupsUpTo(wanted, { ...isoEdges(edges), ...grouped }, signal),
    groupsUpTo(wanted, { ...isoEdges(past), ...grouped }, signal),
    call('GET', '/admin/timeseries', { query: { ...isoEdges(edges), bucket }, signal }),
    call('GET', '/admin/timeseries', { query: { ...isoEdges(past), bucket }, signal }),
    call('GET', '/admin/usage', { query: { ...isoEdges(edges), ...all }, signal }),
    call('GET', '/admin/usage', { query: { ...isoEdges(past), ...all }, signal }),
  ]);
  return {
    groups: beside(groups.rows, {
      groups: groupsBefore.rows,
      isWhole: groupsBefore.total === groupsBefore.rows.length,
    }),
    hiddenGroups: groups.total - groups.rows.length,
    points: series.body,
    edges,
    widthMs: widthOf(series.headers, bucket),
    now: { ...totalsOf(series.body), latency: latencyOf(whole.body[0]) },
    before: { ...totalsOf(before.body), latency: latencyOf(wholeBefore.body[0]) },
  };
}

type Groups = Readonly<{
  rows: readonly UsageTotal[];
  total: number;
}>;

/** Highest spend first, page by page. */
async function groupsUpTo(
  wanted: number,
  query: QueryOf<'GET', '/admin/usage'>,
  signal: AbortSignal,
): Promise<Groups> {
  const rows: UsageTotal[] = [];
  let total = 0;
  let after: string | undefined;
  do {
    const { body, headers } = await call('GET', '/admin/usage', {
      query: { ...query, limit: groupSteps.first, after },
      signal,
    });
    rows.push(...body);
    total = groupsOf(headers, rows.length);
    after = nextCursor(headers);
  } while (after !== undefined && rows.length < wanted);
  return { rows, total };
}
