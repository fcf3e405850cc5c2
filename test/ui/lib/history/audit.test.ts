// Tests which screen shows the target of an audit row.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { isMutation } from '../../../../src/admin/http/once.ts';
import { adminRoutes } from '../../../../src/admin/routes.ts';
import { placeOfTarget } from '../../../../ui/lib/history/audit.ts';
import { partPlace } from '../../../../ui/lib/history/part-place.ts';

it('links a target to its screen', () => {
  const places = {
    '/admin/providers/7': { screen: 'providers', rest: ['7'] },
    '/admin/provider-models/3/backends/9': { screen: 'models', rest: ['3'] },
    '/admin/a2a-agents': { screen: 'agents', rest: [] },
    '/admin/backends/4': { screen: 'models', rest: ['4'] },
    '/admin/rules/5': { screen: 'frontend-models', rest: ['rule', '5'] },
    '/admin/rule-targets/6': { screen: 'frontend-models', rest: ['target', '6'] },
    '/admin/model-pools/3/members': { screen: 'frontend-models', rest: ['pools', '3'] },
    '/admin/model-pools': { screen: 'frontend-models', rest: ['pools'] },
    '/admin/roles/on%20call/permissions': { screen: 'roles', rest: ['on call'] },
    '/admin/change-requests/4/approve': { screen: 'history', rest: ['requests', '4'] },
    '/admin/change-policy': { screen: 'history', rest: ['requests', 'policy'] },
    '/admin/snapshots/12/restore': { screen: 'history', rest: ['versions', '12'] },
    '/admin/providers/register': { screen: 'providers', rest: [] },
    '/admin/tokens/7': { screen: 'tokens', rest: ['7'] },
    '/admin/nothing/7': null,
    '/login': null,
    'import config.yaml': null,
  };
  for (const [target, place] of Object.entries(places)) {
    assert.deepEqual(placeOfTarget(target), place, target);
  }
});

it('every route that changes something has a screen for its target', () => {
  const changing = adminRoutes.filter(isMutation).map(({ path }) => path);
  assert.ok(changing.length > 50);
  const lost = changing.filter((path) => {
    const place = placeOfTarget(path.replaceAll(/\{\w+\}/g, '7'));
    // A path with an id has a record.
    return place === null || (/^\/admin\/[\w-]+\/\{/.test(path) && place.rest.length === 0);
  });
  assert.deepEqual(lost, []);
});

it('a part opens its owner, and a deleted part opens the list', () => {
  const rule = { id: 5, targets: [{ id: 9 }] };
  const known = {
    frontendModels: [{ id: 2, rules: [rule], default_targets: [{ id: 4 }] }],
    pools: [{ id: 3, members: [{ id: 8 }] }],
  };
  const cases = [
    [
      ['rule', '5'],
      ['2', 'rules', '5'],
    ],
    [
      ['target', '9'],
      ['2', 'rules', '5'],
    ],
    [['default', '4'], ['2']],
    [
      ['member', '8'],
      ['pools', '3'],
    ],
    [['rule', '1'], []],
    [['member', '1'], ['pools']],
    [['2', 'rules', '5'], null],
    [[], null],
  ] as const;
  for (const [rest, place] of cases)
    assert.deepEqual(partPlace(rest, known), place, rest.join('/'));
});
