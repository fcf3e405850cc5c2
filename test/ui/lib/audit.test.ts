// Holds how the audit log is read: where a target is shown, what the address asks for, and the order of an export.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { auditQueryOf, placeOfTarget, toNdjson } from '../../../ui/lib/audit.ts';

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

it('filters are those of the server, and one that cannot be read is none', () => {
  const now = Date.UTC(2026, 10, 21, 12);
  assert.deepEqual(auditQueryOf({ actor: '4', target: '/keys', since: '1h' }, now), {
    actor_id: 4,
    target: '/keys',
    since: '2026-11-21T11:00:00.000Z',
  });
  assert.deepEqual(auditQueryOf({ actor: 'boss', target: '', since: 'ever' }, now), {});
});

it('an export has the oldest row first', () => {
  assert.equal(toNdjson([{ id: 2 }, { id: 1 }]), '{"id":1}\n{"id":2}\n');
});
