// Adds traffic and health to the graph of the routing.

import { healthOf } from '../../providers/model-use.ts';
import type { Health } from '../../providers/model-use.ts';
import { providerState } from '../../providers/provider-state.ts';
import { directKey, edgeKey, fallbackKey, keyOf, newEdge, newNode } from './graph.ts';
import type { Configuration, Graph, RouteEdge, RouteNode } from './graph.ts';

export type Flow = Readonly<{
  frontend_model_id: number | null;
  rule_id: number | null;
  model_id: number | null;
  provider_id: number | null;
  requests: number;
  failed: number;
}>;

type Counted = Readonly<{
  graph: Graph;
  /** Requests whose way is not in the graph, such as a former target of a rule. */
  elsewhere: number;
}>;

/** Calls that name a model get a node of their own. */
export function withTraffic({ nodes, edges }: Graph, flows: readonly Flow[]): Counted {
  const found = { nodes: new Map(nodes), edges: new Map(edges) };
  const targets = targetsIn(edges);
  let elsewhere = 0;
  for (const flow of flows) {
    const way = flow.frontend_model_id === null ? directWay(found, flow) : wayOf(flow, targets);
    if (way.some((one) => !found.edges.has(edgeKey(one)))) {
      elsewhere += flow.requests;
      continue;
    }
    for (const one of way) add(found.edges, edgeKey(one), flow);
  }
  return { graph: found, elsewhere };
}

type Way = readonly Readonly<{ from: string; to: string }>[];

function add(edges: Map<string, RouteEdge>, key: string, { requests, failed }: Flow): void {
  const edge = edges.get(key);
  if (edge === undefined) return;
  edges.set(key, {
    ...edge,
    requests: edge.requests + requests,
    failed: edge.failed + failed,
  });
}

type Targets = ReadonlyMap<string, readonly RouteEdge[]>;

/** In the order of the targets. */
const targetsIn = (edges: Graph['edges']): Targets =>
  Map.groupBy(
    [...edges.values()].toSorted((one, other) => one.rank - other.rank),
    ({ from }) => from,
  );

/** The first target with the model counts, like in the gateway. */
function wayOf(flow: Flow, targets: Targets): Way {
  const { frontend_model_id: frontendId, rule_id: ruleId, model_id: modelId } = flow;
  const frontend = keyOf('frontend', frontendId ?? 0);
  const rule = ruleId === null ? keyOf('default', frontendId ?? 0) : keyOf('rule', ruleId);
  const start = [{ from: frontend, to: rule }];
  if (modelId === null) return start;
  const model = keyOf('model', modelId);
  const target = (targets.get(rule) ?? []).find(
    ({ to }) => to === model || (to.startsWith('pool-') && leads(targets, to, model)),
  );
  const end = served(flow);
  if (target === undefined) return [...start, { from: fallbackKey, to: model }, ...end];
  if (target.to === model) return [...start, { from: rule, to: model }, ...end];
  return [...start, { from: rule, to: target.to }, { from: target.to, to: model }, ...end];
}

const leads = (targets: Targets, from: string, to: string): boolean =>
  (targets.get(from) ?? []).some((edge) => edge.to === to);

const served = ({ model_id: modelId, provider_id: providerId }: Flow): Way =>
  modelId === null || providerId === null
    ? []
    : [{ from: keyOf('model', modelId), to: keyOf('provider', providerId) }];

type Building = Readonly<{ nodes: Map<string, RouteNode>; edges: Map<string, RouteEdge> }>;

function directWay({ nodes, edges }: Building, flow: Flow): Way {
  const to = keyOf('model', flow.model_id ?? 0);
  const edge = { from: directKey, to };
  if (nodes.has(to)) {
    const note = 'Requests that name a model of a provider';
    nodes.set(directKey, newNode({ key: directKey, column: 'frontend', name: 'Direct', note }));
    if (!edges.has(edgeKey(edge))) edges.set(edgeKey(edge), newEdge(edge));
  }
  return [edge, ...served(flow)];
}

type Seen = Parameters<typeof healthOf>[1];

/** Each item of `seen` is how a replica sees a backend. */
export function withHealth(
  { nodes, edges }: Graph,
  { models, providers }: Configuration,
  { seen, now }: Readonly<{ seen: Seen; now: number }>,
): Graph {
  const found = new Map(nodes);
  const set = (key: string, health: Health | null): void => {
    const node = found.get(key);
    if (node !== undefined && node.change !== 'removed') found.set(key, { ...node, health });
  };
  const reported = models.flatMap(({ id, backends: [backend] }) => {
    const health = healthOf(backend ?? null, seen);
    if (health.tone === 'plain') return [];
    set(keyOf('model', id), health);
    return { providerId: backend?.provider_id, health };
  });
  const byProvider = Map.groupBy(reported, ({ providerId }) => providerId);
  for (const provider of providers) {
    const state = providerState(provider, now);
    const own = (byProvider.get(provider.id) ?? []).map(({ health }) => health);
    const isDegraded = state.tone === 'warn' || state.tone === 'bad';
    set(keyOf('provider', provider.id), isDegraded ? state : worstOf(own));
  }
  return { nodes: found, edges };
}

/** Counts the models that are down. */
function worstOf(all: readonly Health[]): Health | null {
  const bad = all.filter(({ tone }) => tone !== 'good');
  if (bad.length === 0) return all[0] ?? null;
  if (bad.length === all.length && bad.every(({ tone }) => tone === 'bad')) return bad[0] ?? null;
  return { tone: 'warn', word: `${bad.length} of ${all.length} down` };
}
