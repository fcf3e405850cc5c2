// Builds the graph of the routing: frontend models, their rules, pools, models and providers.

import type { FrontendModel, Model, Pool, Provider, Rule, Target } from '../../../api/records.ts';
import type { Health } from '../../providers/model-use.ts';
import { formatCount } from '../../text/format.ts';
import { policyLabel, sharesOf } from '../pool.ts';
import { ruleName } from '../rule-name.ts';
import { conditionsOf } from '../rule-text.ts';

export const columns = ['frontend', 'rule', 'pool', 'model', 'provider'] as const;
export type Column = (typeof columns)[number];

export type Change = 'added' | 'removed' | 'changed';

export type RouteNode = Readonly<{
  key: string;
  column: Column;
  name: string;
  note: string;
  /** The screen that shows the record; null for a deleted one. */
  place: Readonly<{ screen: string; rest: readonly (string | number)[] }> | null;
  /** Equal for equal records. */
  content: string;
  change: Change | null;
  /** Null if no replica reports it. */
  health: Health | null;
}>;

export type RouteEdge = Readonly<{
  from: string;
  to: string;
  /** The order of the targets of a rule, from 0. */
  rank: number;
  note: string;
  isJump: boolean;
  content: string;
  change: Change | null;
  requests: number;
  failed: number;
}>;

export type Graph = Readonly<{
  nodes: ReadonlyMap<string, RouteNode>;
  /** By `edgeKey`. */
  edges: ReadonlyMap<string, RouteEdge>;
}>;

type Named = Readonly<{ id: number; name: string }>;

type OwnModel = Pick<Model, 'id' | 'version' | 'name' | 'provider_name' | 'closed'> &
  Readonly<{
    backends: readonly Pick<
      Model['backends'][number],
      'api_base' | 'upstream_model' | 'provider_id'
    >[];
  }>;
type OwnProvider = Pick<
  Provider,
  | 'id'
  | 'name'
  | 'kind'
  | 'api_base'
  | 'protocol'
  | 'has_upstream_api_key'
  | 'degraded_since'
  | 'lease_expires_at'
  | 'last_seen_at'
>;

export type Configuration = Readonly<{
  frontendModels: readonly FrontendModel[];
  pools: readonly Pool[];
  models: readonly OwnModel[];
  providers: readonly OwnProvider[];
  fallback: Named | null;
}>;

export const edgeKey = ({ from, to }: Pick<RouteEdge, 'from' | 'to'>): string => `${from}>${to}`;

export const fallbackKey = 'fallback';
export const directKey = 'direct';
export const keyOf = (kind: Column | 'default', id: number): string => `${kind}-${id}`;

/** `principal` names the principal with an id. */
export function graphOf(all: Configuration, principal: (id: number) => string): Graph {
  const building = builder();
  for (const one of all.frontendModels) addFrontendModel(building, one, { all, principal });
  for (const pool of all.pools) addPool(building, pool);
  for (const model of all.models) addModel(building, model);
  for (const provider of all.providers) addProvider(building, provider);
  if (all.fallback !== null) addFallback(building, all.fallback);
  return { nodes: building.nodes, edges: building.edges };
}

type GivenNode = Partial<RouteNode> & Pick<RouteNode, 'key' | 'column' | 'name' | 'note'>;
type GivenEdge = Partial<RouteEdge> & Pick<RouteEdge, 'from' | 'to'>;

export const newNode = (given: GivenNode): RouteNode => ({
  place: null,
  content: '',
  change: null,
  health: null,
  ...given,
});

export const newEdge = (given: GivenEdge): RouteEdge => ({
  rank: 0,
  note: '',
  isJump: false,
  content: '',
  change: null,
  requests: 0,
  failed: 0,
  ...given,
});

function builder() {
  const nodes = new Map<string, RouteNode>();
  const edges = new Map<string, RouteEdge>();
  return {
    nodes,
    edges,
    node: (given: GivenNode): void => void nodes.set(given.key, newNode(given)),
    /** The first edge between two records counts. */
    edge: (given: GivenEdge): void => {
      const key = edgeKey(given);
      if (!edges.has(key)) edges.set(key, newEdge(given));
    },
  };
}

type Building = ReturnType<typeof builder>;
type Context = Readonly<{ all: Configuration; principal: (id: number) => string }>;

function addFrontendModel(building: Building, one: FrontendModel, context: Context): void {
  const { id, name, description, max_model_len, rules, default_targets: defaults } = one;
  const key = keyOf('frontend', id);
  building.node({
    key,
    column: 'frontend',
    name,
    note: formatCount(rules.length, 'rule'),
    place: { screen: 'frontend-models', rest: [id] },
    content: JSON.stringify([name, description, max_model_len]),
  });
  for (const [rank, rule] of rules.entries()) addRule(building, rule, { ...context, one, rank });
  const last = keyOf('default', id);
  building.node({
    key: last,
    column: 'rule',
    name: 'Default',
    note: rules.length === 0 ? 'Every request' : 'No rule matches',
    place: { screen: 'frontend-models', rest: [id, 'edit'] },
  });
  building.edge({ from: key, to: last, rank: rules.length });
  addTargets(building, last, defaults);
}

type OwnRule = Context & Readonly<{ one: FrontendModel; rank: number }>;

function addRule(building: Building, rule: Rule, { all, principal, one, rank }: OwnRule): void {
  const { targets, position: _, ...own } = rule;
  const key = keyOf('rule', rule.id);
  building.node({
    key,
    column: 'rule',
    name: ruleName(rule),
    note: ruleNote(rule, principal),
    place: { screen: 'frontend-models', rest: [one.id, 'rules', rule.id] },
    content: JSON.stringify(own),
  });
  building.edge({ from: keyOf('frontend', one.id), to: key, rank });
  if (rule.action === 'route') addTargets(building, key, targets);
  const jump = all.frontendModels.find(({ id }) => id === rule.jump_to);
  if (rule.action === 'jump' && jump !== undefined) {
    building.edge({ from: key, to: keyOf('frontend', jump.id), isJump: true });
  }
}

function ruleNote(rule: Rule, principal: (id: number) => string): string {
  const conditions = conditionsOf(rule, principal).map(({ text }) => text);
  const when = conditions.length === 0 ? 'Every request' : conditions.join(', ');
  const denial = rule.action === 'deny' ? `Deny ${rule.deny_status ?? ''}: ` : '';
  return `${rule.enabled ? '' : 'Disabled. '}${denial}${when}`;
}

function addTargets(building: Building, from: string, targets: readonly Target[]): void {
  for (const [rank, target] of targets.entries()) {
    const { provider_model_id: modelId, model_pool_id: poolId, model } = target;
    const [kind, id] =
      poolId === null ? (['model', modelId] as const) : (['pool', poolId] as const);
    const to = id === null ? `deleted-${model}` : keyOf(kind, id);
    if (id === null) {
      building.node({ key: to, column: 'model', name: model, note: '', health: deleted });
    }
    const note = targets.length === 1 ? '' : `target ${rank + 1}`;
    building.edge({ from, to, rank, note });
  }
}

const deleted: Health = { tone: 'bad', word: 'deleted' };

function addPool(building: Building, { id, name, description, policy, members }: Pool): void {
  const key = keyOf('pool', id);
  building.node({
    key,
    column: 'pool',
    name,
    note: policyLabel(policy),
    place: { screen: 'frontend-models', rest: ['pools', id] },
    content: JSON.stringify([name, description, policy]),
  });
  const shares = sharesOf(members);
  for (const [index, { provider_model_id: modelId, weight }] of members.entries()) {
    if (modelId === null) continue;
    const note = policy === null ? `${shares[index] ?? 0} %` : '';
    building.edge({ from: key, to: keyOf('model', modelId), note, content: String(weight) });
  }
}

function addModel(building: Building, model: OwnModel): void {
  const { id, name, backends, version: _, provider_name: __, closed: ___, ...own } = model;
  const key = keyOf('model', id);
  building.node({
    key,
    column: 'model',
    name,
    note: backends.length === 0 ? 'No provider' : '',
    place: { screen: 'models', rest: [id] },
    content: JSON.stringify([name, own, backends.map(({ upstream_model }) => upstream_model)]),
  });
  for (const backend of backends) {
    building.edge({ from: key, to: keyOf('provider', backend.provider_id) });
  }
}

function addProvider(building: Building, provider: OwnProvider): void {
  const { id, name, kind, api_base, protocol, has_upstream_api_key: hasKey } = provider;
  building.node({
    key: keyOf('provider', id),
    column: 'provider',
    name,
    note: '',
    place: { screen: 'providers', rest: [id] },
    content: JSON.stringify([name, kind, api_base, protocol, hasKey]),
  });
}

function addFallback(building: Building, { id }: Named): void {
  building.node({
    key: fallbackKey,
    column: 'frontend',
    name: 'Global fallback',
    note: 'Tried after the targets of every frontend model',
    place: { screen: 'frontend-models', rest: ['fallback'] },
  });
  building.edge({ from: fallbackKey, to: keyOf('model', id) });
}
