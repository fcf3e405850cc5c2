// Places the nodes of a routing graph in columns and draws its edges as curves, in pixels.

import { columns } from './graph.ts';
import type { Column, Graph, RouteEdge, RouteNode } from './graph.ts';
import { trafficOf } from './shown.ts';
import type { Traffic } from './shown.ts';

export type PlacedNode = RouteNode & Readonly<{ x: number; y: number; traffic: Traffic }>;
export type PlacedEdge = RouteEdge &
  Readonly<{
    key: string;
    path: string;
    /** Line width in pixels. */
    width: number;
    /** The place of the label. */
    at: Readonly<{ x: number; y: number }>;
  }>;

export type Layout = Readonly<{
  width: number;
  height: number;
  nodeWidth: number;
  nodeHeight: number;
  columns: readonly Readonly<{ column: Column; x: number; count: number }>[];
  nodes: readonly PlacedNode[];
  edges: readonly PlacedEdge[];
}>;

const roomy = { nodeHeight: 44, gap: 10 };
const dense = { nodeHeight: 26, gap: 4 };
/** From this many nodes in a column on, nodes have one line. */
export const denseFrom = 24;
const columnGapMin = 56;
const nodeWidthMax = 220;
const nodeWidthMin = 150;
const heightMin = 240;
const widthOfLine = { least: 1.25, most: 9 };

/** The width that a readable picture needs. */
export const widthNeeded = (count: number): number =>
  count * nodeWidthMin + Math.max(0, count - 1) * columnGapMin;

export function layoutOf(graph: Graph, given: Readonly<{ width: number }>): Layout {
  const shown = orderedColumns(graph);
  const width = Math.max(given.width, widthNeeded(shown.length));
  const gaps = Math.max(0, shown.length - 1) * columnGapMin;
  const nodeWidth = Math.min(nodeWidthMax, (width - gaps) / Math.max(1, shown.length));
  const most = Math.max(0, ...shown.map(({ nodes }) => nodes.length));
  const { nodeHeight, gap } = most > denseFrom ? dense : roomy;
  const height = Math.max(most * (nodeHeight + gap), heightMin);
  const step = shown.length < 2 ? 0 : (width - nodeWidth) / (shown.length - 1);
  const traffic = trafficOf(graph);
  const nodes = shown.flatMap((one, column) =>
    one.nodes.map((node, index): PlacedNode => ({
      ...node,
      x: column * step,
      y: ((index + 0.5) * height) / one.nodes.length - nodeHeight / 2,
      traffic: traffic.get(node.key) ?? none,
    })),
  );
  return {
    width,
    height,
    nodeWidth,
    nodeHeight,
    columns: shown.map(({ column, nodes: all }, index) => ({
      column,
      x: index * step,
      count: all.length,
    })),
    nodes,
    edges: edgesOf(graph, nodes, { nodeWidth, nodeHeight }),
  };
}

const none: Traffic = { requests: 0, failed: 0 };

type Ordered = Readonly<{ column: Column; nodes: readonly RouteNode[] }>;

/**
 * Frontend models keep their order, and rules the order of their frontend model. Other nodes are near
 * the nodes that lead to them.
 */
function orderedColumns({ nodes, edges }: Graph): readonly Ordered[] {
  const incoming = Map.groupBy(
    [...edges.values()].filter(({ isJump }) => !isJump),
    ({ to }) => to,
  );
  /** From 0 at the top to 1. */
  const heights = new Map<string, number>();
  return columns.flatMap((column) => {
    const inIt = [...nodes.values()].filter((node) => node.column === column);
    if (inIt.length === 0) return [];
    const placed = inIt
      .map((node) => ({ node, height: meanOf(incoming.get(node.key) ?? [], heights) }))
      .toSorted((one, other) => one.height - other.height)
      .map(({ node }) => node);
    const ordered = column === 'frontend' ? inIt : placed;
    for (const [index, { key }] of ordered.entries()) {
      heights.set(key, (index + 0.5) / ordered.length);
    }
    return [{ column, nodes: ordered }];
  });
}

/** The rank keeps the targets of one node in their order. */
function meanOf(incoming: readonly RouteEdge[], heights: ReadonlyMap<string, number>): number {
  if (incoming.length === 0) return 1;
  const sum = incoming.reduce(
    (total, { from, rank }) => total + (heights.get(from) ?? 0) + rank / 1_000_000,
    0,
  );
  return sum / incoming.length;
}

type Size = Readonly<{ nodeWidth: number; nodeHeight: number }>;

function edgesOf(
  { edges }: Graph,
  nodes: readonly PlacedNode[],
  { nodeWidth, nodeHeight }: Size,
): readonly PlacedEdge[] {
  const places = new Map(nodes.map((node) => [node.key, node]));
  const most = Math.max(1, ...[...edges.values()].map(({ requests }) => requests));
  return [...edges].flatMap(([key, edge]) => {
    const [from, to] = [places.get(edge.from), places.get(edge.to)];
    if (from === undefined || to === undefined) return [];
    const [y1, y2] = [from.y + nodeHeight / 2, to.y + nodeHeight / 2];
    const isBack = edge.isJump && from.x > to.x;
    const x1 = isBack ? from.x : from.x + nodeWidth;
    const x2 = edge.isJump ? to.x + nodeWidth : to.x;
    const bend = from.x === to.x ? x1 + columnGapMin : (x1 + x2) / 2;
    return Object.assign({}, edge, {
      key,
      path: `M${round(x1)} ${round(y1)}C${round(bend)} ${round(y1)} ${round(bend)} ${round(y2)} ${round(x2)} ${round(y2)}`,
      width: lineWidth(edge.requests, most),
      at: { x: round((x1 + x2 + 6 * bend) / 8), y: round((y1 + y2) / 2) },
    });
  });
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** The area of a line, not its width, would be compared: hence the root. */
const lineWidth = (requests: number, most: number): number =>
  requests === 0
    ? widthOfLine.least
    : round(
        widthOfLine.least + (widthOfLine.most - widthOfLine.least) * Math.sqrt(requests / most),
      );
