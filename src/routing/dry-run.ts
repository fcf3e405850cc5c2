// Routes a hypothetical request (specification, "Frontend models, routing, classes": dry-run), with
// the tables and the choice of the request path. Every endpoint counts as up and idle, and the
// caller supplies the prompt class.

import type { RoutingTables } from '../snapshot/compile.ts';
import { anonymous, principalCompiler, withIncreases } from '../snapshot/compile/callers.ts';
import type { Snapshot, SnapshotPrincipal } from '../snapshot/schema.ts';
import { explainRoute } from './explain.ts';
import type { Explanation } from './explain.ts';
import { idleView } from './idle-view.ts';
import type { RoutedRequest } from './request.ts';

export type DryRun = Readonly<{
  /** Null means a caller who may invoke every model and has no other attributes. */
  principal: SnapshotPrincipal | null;
  request: Omit<RoutedRequest, 'header' | 'conversationKey'>;
  /** Header names in any case. */
  headers: Readonly<Record<string, string>>;
}>;

/** `tables` must be compiled from the snapshot. */
export function dryRun(
  { snapshot, tables }: Readonly<{ snapshot: Snapshot; tables: RoutingTables }>,
  { principal, request, headers }: DryRun,
): Explanation {
  const caller =
    principal === null
      ? anonymous
      : withIncreases(principalCompiler(snapshot, tables.models)(principal), request.nowMs);
  const values = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return explainRoute(tables, {
    caller,
    live: idleView(),
    request: {
      ...request,
      header: (name) => values.get(name),
      // An arbitrary key: the pool member chosen for one conversation says nothing about the next.
      conversationKey: () => 0,
    },
  });
}
