// Holds how the audit log is read: where a target is shown.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { placeOfTarget } from '../../../ui/lib/audit.ts';

it('a target is shown by the screen of what it is about', () => {
  const places = {
    '/admin/providers/7': { screen: 'providers', rest: ['7'] },
    '/admin/provider-models/3/backends/9': { screen: 'models', rest: ['3'] },
    '/admin/a2a-agents': { screen: 'agents', rest: [] },
    '/admin/snapshot/rebuild': null,
    '/login': null,
    'import config.yaml': null,
  };
  for (const [target, place] of Object.entries(places)) {
    assert.deepEqual(placeOfTarget(target), place, target);
  }
});
