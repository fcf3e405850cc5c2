// Where a request would go, asked before there is one (specification, "Frontend models, routing,
// classes": dry-run). The same tables and the same choice as on the request path; every endpoint
// is taken to be up and idle, and the prompt class is what the asker says.

import type { RoutingTables } from '../snapshot/compile.ts';
import { anonymous, principalCompiler } from '../snapshot/compile/callers.ts';
import type { Snapshot, SnapshotPrincipal } from '../snapshot/schema.ts';
import { explainRoute } from './explain.ts';
import type { Explanation } from './explain.ts';
import { idleView } from './idle-view.ts';
import type { RoutedRequest } from './request.ts';

export type DryRun = Readonly<{
  /** Null asks for a caller who may invoke every model and of whom nothing else is known. */
  principal: SnapshotPrincipal | null;
  request: Omit<RoutedRequest, 'header' | 'conversationKey'>;
  /** Names in any case. */
  headers: Readonly<Record<string, string>>;
}>;

/** `tables` are those of the snapshot. */
export function dryRun(
  { snapshot, tables }: Readonly<{ snapshot: Snapshot; tables: RoutingTables }>,
  { principal, request, headers }: DryRun,
): Explanation {
  const caller =
    principal === null ? anonymous : principalCompiler(snapshot, tables.models)(principal);
  const values = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return explainRoute(tables, {
    caller,
    live: idleView(),
    request: {
      ...request,
      header: (name) => values.get(name),
      // A conversation like any other: which member of a pool it falls to says nothing of the next.
      conversationKey: () => 0,
    },
  });
}
