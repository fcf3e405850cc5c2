// Tests the graph of the routing map: what leads where, how traffic and health are assigned, what a
// comparison marks, and how it is folded and placed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { FrontendModel, Rule } from '../../../../ui/api/records.ts';
import { graphOf } from '../../../../ui/lib/routing/map/graph.ts';
import type { Configuration, Graph } from '../../../../ui/lib/routing/map/graph.ts';
import { layoutOf, widthNeeded } from '../../../../ui/lib/routing/map/layout.ts';
import { withHealth, withTraffic } from '../../../../ui/lib/routing/map/live.ts';
import type { Flow } from '../../../../ui/lib/routing/map/live.ts';
import {
  around,
  changedRoots,
  compared,
  folded,
  reachedFrom,
  rootsOf,
  trafficOf,
} from '../../../../ui/lib/routing/map/shown.ts';
import { bareRule, onModel } from '../../../harness/admin/rule-records.ts';

const onPool = (id: number, model_pool_id: number, model: string, position: number) => ({
  ...onModel(id, 0, model, position),
  provider_model_id: null,
  model_pool_id,
});

const rule = (id: number, change: Partial<Rule>): Rule => ({
  ...bareRule,
  action: 'route',
  id,
  ...change,
});

const code: FrontendModel = {
  id: 2,
  version: 1,
  name: 'code',
  description: null,
  max_model_len: null,
  rules: [],
  default_targets: [onModel(4, 3, 'large', 0)],
};

const chat: FrontendModel = {
  ...code,
  id: 1,
  name: 'chat',
  rules: [
    rule(11, { stream: true, targets: [onModel(1, 1, 'small', 0), onPool(2, 5, 'fast', 1)] }),
    rule(12, { action: 'jump', jump_to: code.id }),
    rule(13, { action: 'deny', deny_status: 429, enabled: false }),
  ],
  default_targets: [onPool(3, 5, 'fast', 0)],
};

const model = (id: number, name: string, provider_id: number) => ({
  id,
  version: 1,
  name,
  provider_name: null,
  closed: false,
  backends: [{ provider_id, api_base: `https://${provider_id}.example/v1`, upstream_model: name }],
});

const provider = (id: number, name: string) => ({
  id,
  name,
  kind: 'static' as const,
  api_base: `https://${id}.example/v1`,
  protocol: 'openai' as const,
  has_upstream_api_key: true,
  degraded_since: null,
  lease_expires_at: null,
  last_seen_at: null,
});

const small = { id: 1, provider_model_id: 1, model: 'small', weight: 3, position: 0 };
const tiny = { id: 2, provider_model_id: 2, model: 'tiny', weight: 1, position: 1 };
const fast = {
  id: 5,
  version: 1,
  name: 'fast',
  description: null,
  policy: null,
  members: [small, tiny],
};

const all: Configuration = {
  frontendModels: [chat, code],
  pools: [fast],
  models: [model(1, 'small', 1), model(2, 'tiny', 1), model(3, 'large', 2), model(4, 'idle', 2)],
  providers: [provider(1, 'Engine'), provider(2, 'Vendor')],
  fallback: { id: 3, name: 'large' },
};

const graph = graphOf(all, String);
const edges = ({ edges: shown }: Graph): readonly string[] => [...shown.keys()].toSorted();
const keys = ({ nodes }: Graph): readonly string[] => [...nodes.keys()].toSorted();

const flow = (change: Partial<Flow>): Flow => ({
  frontend_model_id: 1,
  rule_id: null,
  model_id: null,
  provider_id: null,
  requests: 1,
  failed: 0,
  ...change,
});

it('the graph leads from frontend models through rules and pools to providers', () => {
  assert.deepEqual(edges(graph), [
    'default-1>pool-5',
    'default-2>model-3',
    'fallback>model-3',
    'frontend-1>default-1',
    'frontend-1>rule-11',
    'frontend-1>rule-12',
    'frontend-1>rule-13',
    'frontend-2>default-2',
    'model-1>provider-1',
    'model-2>provider-1',
    'model-3>provider-2',
    'model-4>provider-2',
    'pool-5>model-1',
    'pool-5>model-2',
    'rule-11>model-1',
    'rule-11>pool-5',
    'rule-12>frontend-2',
  ]);
  assert.equal(graph.nodes.get('rule-13')?.note, 'Disabled. Deny 429: Every request');
  assert.equal(graph.edges.get('pool-5>model-1')?.note, '75 %');
});

it('a deleted target stays visible', () => {
  const lost = { ...onModel(9, 0, 'lost', 0), provider_model_id: null };
  const shown = graphOf({ ...all, frontendModels: [{ ...code, default_targets: [lost] }] }, String);
  assert.equal(shown.nodes.get('deleted-lost')?.health?.word, 'deleted');
  assert.ok(shown.edges.has('default-2>deleted-lost'));
});

const count = (flows: readonly Flow[], key: string): number | undefined =>
  withTraffic(graph, flows).graph.edges.get(key)?.requests;

describe('traffic', () => {
  it('counts on every edge of its way', () => {
    const flows = [flow({ model_id: 2, provider_id: 1, requests: 7, failed: 2 })];
    for (const key of [
      'frontend-1>default-1',
      'default-1>pool-5',
      'pool-5>model-2',
      'model-2>provider-1',
    ]) {
      assert.equal(count(flows, key), 7, key);
    }
    const { graph: counted } = withTraffic(graph, flows);
    assert.deepEqual(trafficOf(counted).get('frontend-1'), { requests: 7, failed: 2 });
    assert.deepEqual(trafficOf(counted).get('model-2'), { requests: 7, failed: 2 });
  });

  it('belongs to the first target with the model', () => {
    const flows = [flow({ rule_id: 11, model_id: 1, provider_id: 1, requests: 3 })];
    assert.equal(count(flows, 'rule-11>model-1'), 3);
    assert.equal(count(flows, 'rule-11>pool-5'), 0);
  });

  it('to the global fallback is counted there', () => {
    const flows = [flow({ model_id: 3, provider_id: 2, requests: 4 })];
    assert.equal(count(flows, 'fallback>model-3'), 4);
    assert.equal(count(flows, 'frontend-1>default-1'), 4);
  });

  it('that reached no model ends at the rule', () => {
    assert.equal(count([flow({ rule_id: 13, requests: 5 })], 'frontend-1>rule-13'), 5);
  });

  it('that names a provider model has a node of its own', () => {
    const { graph: counted } = withTraffic(graph, [
      flow({ frontend_model_id: null, model_id: 4, provider_id: 2, requests: 6 }),
    ]);
    assert.equal(counted.edges.get('direct>model-4')?.requests, 6);
    assert.equal(trafficOf(counted).get('direct')?.requests, 6);
  });

  it('on a way that the configuration does not have is only counted', () => {
    const { graph: counted, elsewhere } = withTraffic(graph, [
      flow({ rule_id: 99, model_id: 1, provider_id: 1, requests: 2 }),
      flow({ model_id: 4, provider_id: 2, requests: 3 }),
      flow({ model_id: 1, provider_id: 2, requests: 4 }),
      flow({ frontend_model_id: null, model_id: 99, requests: 5 }),
    ]);
    assert.equal(elsewhere, 14);
    assert.ok([...counted.edges.values()].every(({ requests }) => requests === 0));
    assert.ok(!counted.nodes.has('direct'));
  });
});

const seen = (name: string, healthy: boolean) => ({
  api_base: 'https://1.example/v1',
  model: name,
  healthy,
});

it('health is that of the backend, and a provider counts its models', () => {
  const health = (...views: ReturnType<typeof seen>[]) => {
    const { nodes } = withHealth(graph, all, { seen: views, now: 0 });
    return ['model-1', 'model-2', 'provider-1'].map((key) => nodes.get(key)?.health?.word ?? null);
  };
  assert.deepEqual(health(), [null, null, null]);
  assert.deepEqual(health(seen('small', true)), ['healthy', null, 'healthy']);
  assert.deepEqual(health(seen('small', false), seen('tiny', true)), [
    'down',
    'healthy',
    '1 of 2 down',
  ]);
  assert.deepEqual(health(seen('small', false), seen('tiny', false)), ['down', 'down', 'down']);
});

const isFrontend = (key: string): boolean => key.startsWith('frontend-');

it('a comparison marks what was added, removed and changed', () => {
  const [first, ...others] = chat.rules;
  assert.ok(first !== undefined);
  const later: Configuration = {
    ...all,
    frontendModels: [
      { ...chat, rules: [{ ...first, stream: false }, ...others.slice(1), rule(14, {})] },
      { ...code, default_targets: [onModel(4, 4, 'idle', 0)] },
    ],
  };
  const both = compared(graphOf(later, String), graph);
  const changed = [...both.nodes.values(), ...both.edges.values()].flatMap((one) =>
    one.change === null ? [] : `${'key' in one ? one.key : `${one.from}>${one.to}`} ${one.change}`,
  );
  assert.deepEqual(changed.toSorted(), [
    'default-2>model-3 removed',
    'default-2>model-4 added',
    'frontend-1>rule-12 removed',
    'frontend-1>rule-14 added',
    'rule-11 changed',
    'rule-12 removed',
    'rule-12>frontend-2 removed',
    'rule-14 added',
  ]);
  assert.deepEqual(changedRoots(both).filter(isFrontend), ['frontend-1', 'frontend-2']);
  assert.deepEqual(changedRoots(compared(graph, graph)), []);
});

it('a comparison marks rules that changed places, and members with another weight', () => {
  const later: Configuration = {
    ...all,
    frontendModels: [{ ...chat, rules: chat.rules.toReversed() }, code],
    pools: [{ ...fast, members: [small, { ...tiny, weight: 2 }] }],
  };
  const { edges: marked } = compared(graphOf(later, String), graph);
  const changed = [...marked].flatMap(([key, { change }]) => (change === null ? [] : [key]));
  assert.deepEqual(changed, ['frontend-1>rule-13', 'frontend-1>rule-11', 'pool-5>model-2']);
});

it('one frontend model is shown with what it leads to, jumps included', () => {
  assert.deepEqual(keys(reachedFrom(graph, ['frontend-2'])), [
    'default-2',
    'frontend-2',
    'model-3',
    'provider-2',
  ]);
  assert.ok(keys(reachedFrom(graph, ['frontend-1'])).includes('frontend-2'));
  assert.deepEqual(
    rootsOf(graph).filter((key) => !key.startsWith('frontend-')),
    ['fallback'],
  );
});

it('folded rules and models add up in their frontend model and provider', () => {
  const { graph: counted } = withTraffic(graph, [
    flow({ rule_id: 11, model_id: 1, provider_id: 1, requests: 3 }),
    flow({ model_id: 2, provider_id: 1, requests: 4 }),
  ]);
  const shown = folded(reachedFrom(counted, rootsOf(counted)), { rules: true, models: true });
  assert.deepEqual(edges(shown), [
    'fallback>provider-2',
    'frontend-1>frontend-2',
    'frontend-1>pool-5',
    'frontend-1>provider-1',
    'frontend-2>provider-2',
    'pool-5>provider-1',
  ]);
  assert.equal(shown.nodes.get('provider-1')?.note, '2 models');
  assert.equal(shown.edges.get('frontend-1>pool-5')?.requests, 4);
  assert.equal(trafficOf(shown).get('provider-1')?.requests, 7);
  assert.equal(trafficOf(shown).get('frontend-1')?.requests, 7);
});

it('the ways through a record are its ancestors and descendants', () => {
  assert.deepEqual([...around(graph, 'pool-5')].toSorted(), [
    'default-1',
    'frontend-1',
    'model-1',
    'model-2',
    'pool-5',
    'provider-1',
    'rule-11',
  ]);
});

it('nodes of a column do not overlap, and rules keep the order of their frontend model', () => {
  const layout = layoutOf(graph, { width: 1_100 });
  for (const { column, x } of layout.columns) {
    const inIt = layout.nodes.filter((node) => node.column === column);
    assert.ok(inIt.every((node) => node.x === x));
    for (const [index, node] of inIt.entries()) {
      const next = inIt[index + 1];
      assert.ok(node.y >= 0 && node.y + layout.nodeHeight <= layout.height);
      assert.ok(next === undefined || next.y - node.y >= layout.nodeHeight);
    }
  }
  assert.deepEqual(
    layout.nodes.filter(({ column }) => column === 'rule').map(({ key }) => key),
    ['rule-11', 'rule-12', 'rule-13', 'default-1', 'default-2'],
  );
  assert.equal(layoutOf(graph, { width: 10 }).width, widthNeeded(5));
});
