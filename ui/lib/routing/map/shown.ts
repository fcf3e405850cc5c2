// Decides what a picture of the routing shows: the difference of two versions, one frontend model, and which columns are folded.

import { edgeKey } from './graph.ts';
import type { Change, Graph, RouteEdge, RouteNode } from './graph.ts';

type Part = Readonly<{ content: string; change: Change | null }>;

/** All parts of both graphs; those of `before` alone are removed. */
export function compared(now: Graph, before: Graph): Graph {
  const edges = new Map(union(now.edges, before.edges));
  for (const edge of reordered(now, before)) {
    edges.set(edgeKey(edge), { ...edge, change: 'changed' });
  }
  return { nodes: union(now.nodes, before.nodes), edges };
}

/** Rules and targets with another place among those of both graphs. */
function reordered(now: Graph, before: Graph): readonly RouteEdge[] {
  const common = [...now.edges.values()].filter((edge) => before.edges.has(edgeKey(edge)));
  const rankBefore = (edge: RouteEdge): number => before.edges.get(edgeKey(edge))?.rank ?? 0;
  return [...Map.groupBy(common, ({ from }) => from).values()].flatMap((siblings) => {
    const was = siblings.toSorted((one, other) => rankBefore(one) - rankBefore(other));
    const is = siblings.toSorted((one, other) => one.rank - other.rank);
    return is.filter((edge, index) => edge !== was[index]);
  });
}

function union<One extends Part>(
  now: ReadonlyMap<string, One>,
  before: ReadonlyMap<string, One>,
): ReadonlyMap<string, One> {
  const all = new Map<string, One>();
  for (const [key, one] of now) {
    const was = before.get(key);
    const change = was === undefined ? 'added' : was.content === one.content ? null : 'changed';
    all.set(key, { ...one, change });
  }
  for (const [key, one] of before) {
    if (!now.has(key)) all.set(key, { ...one, change: 'removed' });
  }
  return all;
}

/** Keeps the nodes that can be reached from these. */
export function reachedFrom({ nodes, edges }: Graph, roots: readonly string[]): Graph {
  const next = Map.groupBy(edges.values(), ({ from }) => from);
  const seen = new Set(roots.filter((key) => nodes.has(key)));
  for (const key of seen) {
    for (const { to } of next.get(key) ?? []) if (nodes.has(to)) seen.add(to);
  }
  return {
    nodes: new Map([...nodes].filter(([key]) => seen.has(key))),
    edges: new Map([...edges].filter(([, { from, to }]) => seen.has(from) && seen.has(to))),
  };
}

/** With the changed records that no frontend model leads to. */
export const rootsOf = ({ nodes }: Graph): readonly string[] =>
  [...nodes.values()]
    .filter(({ column, change }) => column === 'frontend' || change !== null)
    .map(({ key }) => key);

/** Frontend models from which something changed can be reached. */
export const changedRoots = (graph: Graph): readonly string[] =>
  rootsOf(graph).filter((key) => {
    const { nodes, edges } = reachedFrom(graph, [key]);
    return [...nodes.values(), ...edges.values()].some(({ change }) => change !== null);
  });

type Folds = Readonly<{ rules: boolean; models: boolean }>;

/** Draws rules as their frontend model, and models as their provider. */
export function folded(graph: Graph, { rules, models }: Folds): Graph {
  const into = new Map<string, string>();
  for (const { from, to, isJump } of graph.edges.values()) {
    const [owner, part] = [graph.nodes.get(from), graph.nodes.get(to)];
    if (rules && !isJump && part?.column === 'rule') into.set(to, from);
    if (models && owner?.column === 'model' && part?.column === 'provider') into.set(from, to);
  }
  const edges = new Map<string, RouteEdge>();
  for (const edge of graph.edges.values()) {
    const ends = { from: into.get(edge.from) ?? edge.from, to: into.get(edge.to) ?? edge.to };
    if (ends.from === ends.to) continue;
    const key = edgeKey(ends);
    const other = edges.get(key);
    edges.set(key, other === undefined ? { ...edge, ...ends, note: '' } : joined(other, edge));
  }
  const parts = Map.groupBy(into, ([, to]) => to);
  const nodes = [...graph.nodes.values()]
    .filter(({ key }) => !into.has(key))
    .map((node) => {
      const hidden = (parts.get(node.key) ?? []).flatMap(([key]) => graph.nodes.get(key) ?? []);
      return [node.key, withParts(node, hidden)] as const;
    });
  return { nodes: new Map(nodes), edges };
}

function withParts(node: RouteNode, hidden: readonly RouteNode[]): RouteNode {
  const change = node.change ?? (hidden.some((one) => one.change !== null) ? 'changed' : null);
  const isModels = hidden.some(({ column }) => column === 'model');
  const note = isModels
    ? `${hidden.length} ${hidden.length === 1 ? 'model' : 'models'}`
    : node.note;
  return { ...node, change, note };
}

const joined = (one: RouteEdge, other: RouteEdge): RouteEdge => ({
  ...one,
  rank: Math.min(one.rank, other.rank),
  change: one.change === other.change ? one.change : 'changed',
  requests: one.requests + other.requests,
  failed: one.failed + other.failed,
});

export type Traffic = Readonly<{ requests: number; failed: number }>;

/** Sums the requests that reach each node. */
export function trafficOf({ edges }: Graph): ReadonlyMap<string, Traffic> {
  const all = new Map<string, { requests: number; failed: number }>();
  const add = (key: string, { requests, failed }: Traffic): void => {
    const found = all.get(key) ?? { requests: 0, failed: 0 };
    all.set(key, { requests: found.requests + requests, failed: found.failed + failed });
  };
  const entered = new Set([...edges.values()].map(({ isJump, to }) => (isJump ? '' : to)));
  for (const edge of edges.values()) {
    if (edge.isJump) continue;
    add(edge.to, edge);
    if (!entered.has(edge.from)) add(edge.from, edge);
  }
  return all;
}

/** The nodes on all ways through one node. */
export function around({ edges }: Graph, key: string): ReadonlySet<string> {
  const walk = (start: 'from' | 'to', end: 'from' | 'to'): Set<string> => {
    const by = Map.groupBy(edges.values(), (edge) => edge[start]);
    const seen = new Set([key]);
    for (const one of seen) for (const edge of by.get(one) ?? []) seen.add(edge[end]);
    return seen;
  };
  return walk('from', 'to').union(walk('to', 'from'));
}
