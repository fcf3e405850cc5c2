// All that the screen shows of a time, and of the time of the same length before it.

import { getTimeseries, getUsage, groupsOf, widthOf } from '../../api/usage.ts';
import { bucketSecondsOf, edgesBefore, edgesOf, isoEdges } from '../../lib/range.ts';
import type { Range } from '../../lib/range.ts';
import { latencyOf, totalsOf } from '../../lib/series.ts';
import { beside } from '../../lib/usage.ts';
import type { Grouping } from '../../lib/usage.ts';

const groupsMax = 1_000;

type Asked = Readonly<{ range: Range; grouping: Grouping }>;

export type Usage = Awaited<ReturnType<typeof loadUsage>>;
export type Group = Usage['groups'][number];

export async function loadUsage({ range, grouping }: Asked, signal: AbortSignal) {
  const edges = edgesOf(range, Date.now());
  const past = edgesBefore(edges);
  const bucket = bucketSecondsOf(edges);
  const all = { group_by: 'all' } as const;
  const grouped = { group_by: grouping, limit: groupsMax };
  const [groups, groupsBefore, series, before, whole, wholeBefore] = await Promise.all([
    getUsage({ ...isoEdges(edges), ...grouped }, signal),
    getUsage({ ...isoEdges(past), ...grouped }, signal),
    getTimeseries({ ...isoEdges(edges), bucket }, signal),
    getTimeseries({ ...isoEdges(past), bucket }, signal),
    getUsage({ ...isoEdges(edges), ...all }, signal),
    getUsage({ ...isoEdges(past), ...all }, signal),
  ]);
  return {
    groups: beside(groups.body, {
      groups: groupsBefore.body,
      isWhole: groupsOf(groupsBefore.headers, groupsBefore.body.length) <= groupsMax,
    }),
    hiddenGroups: groupsOf(groups.headers, groups.body.length) - groups.body.length,
    points: series.body,
    edges,
    widthMs: widthOf(series.headers, bucket),
    now: { ...totalsOf(series.body), latency: latencyOf(whole.body[0]) },
    before: { ...totalsOf(before.body), latency: latencyOf(wholeBefore.body[0]) },
  };
}
