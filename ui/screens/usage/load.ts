// All that the screen shows of a time, and of the time of the same length before it.

import { getTimeseries, getUsage } from '../../api/usage.ts';
import { bucketSecondsOf, edgesBefore, edgesOf, isoEdges } from '../../lib/range.ts';
import type { Range } from '../../lib/range.ts';
import { totalsOf } from '../../lib/series.ts';
import type { Grouping } from '../../lib/usage.ts';

const groupsMax = 1_000;

type Asked = Readonly<{ range: Range; grouping: Grouping }>;

export type Usage = Awaited<ReturnType<typeof loadUsage>>;

export async function loadUsage({ range, grouping }: Asked, signal: AbortSignal) {
  const edges = edgesOf(range, Date.now());
  const bucket = bucketSecondsOf(edges);
  const [groups, series, before] = await Promise.all([
    getUsage({ ...isoEdges(edges), group_by: grouping, limit: groupsMax }, signal),
    getTimeseries({ ...isoEdges(edges), bucket }, signal),
    getTimeseries({ ...isoEdges(edgesBefore(edges)), bucket }, signal),
  ]);
  return {
    groups: groups.body,
    points: series.body,
    now: totalsOf(series.body),
    before: totalsOf(before.body),
  };
}
